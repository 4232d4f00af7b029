import AquiferTesting
import Foundation
import Testing

@testable import HTTPServer

@Suite("The rest of a request", .timeLimit(.minutes(10)))
struct ExchangeTests {
    /// An exchange with a body that has been completed by now, unless something keeps it.
    ///
    /// - Parameter use: what happens before it is completed.
    private func completed(
        _ core: ServerCore, asPlanned: Bool, _ use: (Exchange) -> Void
    ) throws -> WeakExchange {
        // Nobody looks behind it: nothing here suspends the connection.
        let mhd = try #require(OpaquePointer(bitPattern: 1))
        let connection = Connection(
            id: 1, mhd: mhd, socket: -1, remoteAddress: "127.0.0.1", isExcess: false, hungUp: false, headDeadline: .now)
        _ = core.admit()
        let exchange = Exchange(
            mhd: mhd, connection: connection, core: core, isKnown: true, isHead: false, hasUpload: true,
            isChunked: false, maxBodyBytes: 100)
        let body = ServerRequestBody(source: .upload(exchange))
        exchange.prepare(ServerRequest("POST", "/").with(body: body))
        use(exchange)
        exchange.completed(asPlanned: asPlanned)
        return WeakExchange(exchange)
    }

    private final class WeakExchange: @unchecked Sendable {
        weak var exchange: Exchange?
        init(_ exchange: Exchange) { self.exchange = exchange }
    }

    @Test("Nothing is kept of a request whose client leaves between its head and its body")
    func leavesAfterTheHead() async throws {
        let core = try ServerCore(.init()) { _ in HTTPServer.Answers(gate: { _ in .known }, handler: { _ in .empty() })
        }
        let left = try completed(core, asPlanned: false) { _ in }
        #expect(left.exchange == nil)
        await core.stop(grace: .zero)
    }

    @Test("Nothing is kept of a request that its streamed answer has used", arguments: [true, false])
    func streamWithRequest(asPlanned: Bool) async throws {
        let core = try ServerCore(.init()) { _ in
            HTTPServer.Answers(
                gate: { _ in .known },
                handler: { request in
                    ServerResponse(
                        body: .stream(length: nil) { writer in try await writer.write(Data(request.path.utf8)) })
                })
        }
        let left = try completed(core, asPlanned: asPlanned) { $0.startIfNeeded() }
        // The handler may still be at work when the request is completed.
        #expect(await eventually { left.exchange == nil })
        await core.stop(grace: .zero)
    }
}
