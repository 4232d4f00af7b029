import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferCurl

/// This product cancels requests all day: a reader scrolls on, a page closes, a task is superseded.
@Suite(.timeLimit(.minutes(10)))
struct CancelStormTests {
    @Test("10 000 requests cancelled at random moments neither hang nor crash, and the client works on")
    func storm() async throws {
        let body = Data(count: 20_000)
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil { try connection.respond(body: body) }
        }
        let client = CurlHTTPClient()
        let cancelled = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<50 {
                group.addTask {
                    var random = SeededNumbers(seed: UInt64(lane + 1))
                    for _ in 0..<200 {
                        let request = Task {
                            let response = try await client.send(HTTPRequest(.get, server.url()))
                            return try await response.data(upTo: body.count)
                        }
                        // The cancellations range from before the request is added to after its answer is read.
                        for _ in 0..<(random.next() % 40) { await Task.yield() }
                        request.cancel()
                        switch await request.result {
                        case .success(let data): #expect(data.count == body.count)
                        case .failure(let error):
                            #expect((error as? TransportError)?.kind == .cancelled)
                            cancelled.withLock { $0 += 1 }
                        }
                    }
                }
            }
        }
        #expect(cancelled.withLock { $0 } > 1000)
        let response = try await client.send(HTTPRequest(.get, server.url()))
        #expect(try await response.data(upTo: body.count) == body)
        #expect(await eventually { client.loop.transfersInFlight == 0 })
    }
}
