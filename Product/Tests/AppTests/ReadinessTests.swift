import AquiferConcurrency
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

@MainActor
@Suite("Health, readiness and the end of a server", .timeLimit(.minutes(10)))
struct ReadinessTests {
    @Test(
        "Health checks are answered under any name, without the token, and tell one word",
        arguments: ["10.2.3.4:8080", "evil.example", "127.0.0.1"])
    func anyHost(host: String) async throws {
        let world = AppWorld(token: "secret")
        for (path, word) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
            let answer = await world.request("GET", path, "", ["Host": host])
            #expect(answer.status == 200)
            #expect(String(decoding: try await answer.collectBody(), as: UTF8.self) == word)
        }
        #expect(await world.request("POST", "/healthz", "", ["Host": host]).status != 200)
        await world.services.stop()
    }

    @Test("A store that cannot be opened makes the server unready, and it stays alive")
    func store() async throws {
        let world = AppWorld { $0.data = URL(filePath: "/dev/null/aquifer") }
        let answer = await world.request("GET", "/readyz")
        #expect(answer.status == 503)
        #expect(String(decoding: try await answer.collectBody(), as: UTF8.self) == "store\n")
        #expect(await world.request("GET", "/healthz").status == 200)
        await world.services.stop()
    }

    @Test("A page is not told where the server keeps its data; the log is, once for the same failure")
    func places() async throws {
        let world = AppWorld { $0.data = URL(filePath: "/dev/null/aquifer") }
        let heard = Locked<[String]>([])
        world.services.groundwork.storeMetrics.hear { trouble in
            heard.withLock { $0.append(trouble.error.reasonForLog) }
        }
        for _ in 0..<2 {
            let answer = await world.request("GET", "/api/feed/saved")
            #expect(answer.status == 500)
            let text = String(decoding: try await answer.collectBody(), as: UTF8.self)
            #expect(text.contains("\"store\"") && !text.contains("/dev/null"))
        }
        let told = heard.withLock { $0 }
        #expect(told.count == 1 && told[0].contains("/dev/null"))
        await world.services.stop()
    }

    @Test("A server that drains is unready at once, and closes the connection of each answer")
    func draining() async throws {
        let world = AppWorld()
        #expect(await world.request("GET", "/").headers["Connection"] == nil)
        world.operations.drain.announce()
        let answer = await world.request("GET", "/readyz")
        #expect(answer.status == 503)
        #expect(String(decoding: try await answer.collectBody(), as: UTF8.self) == "draining\n")
        let page = await world.request("GET", "/")
        #expect(page.status == 200 && page.headers["Connection"] == "close")
        await world.services.stop()
    }

    @Test("A look at the stores that hangs is waited for two seconds, and no second one is begun beside it")
    func hangs() async {
        let looks = Locked(0)
        let (hanging, end) = AsyncStream.makeStream(of: Never.self)
        let readiness = Readiness(Drain()) {
            looks.withLock { $0 += 1 }
            for await _ in hanging {}
            return true
        }
        async let one = readiness.answer()
        async let two = readiness.answer()
        #expect(await (one, two) == (.store, .store))
        #expect(await readiness.answer() == .store)
        #expect(looks.withLock { $0 } == 1)
        end.finish()
        #expect(await eventually { await readiness.answer() == .ready })
    }

    @Test("Those who ask within a second share one look")
    func shared() async {
        let looks = Locked(0)
        let told = Locked([Readiness.Answer]())
        let readiness = Readiness(Drain(), changed: { answer in told.withLock { $0.append(answer) } }) {
            looks.withLock { $0 += 1 }
            return false
        }
        let begin = ContinuousClock.now
        for _ in 0..<100 { #expect(await readiness.answer() == .store) }
        // A machine that needs longer for the hundred questions looks more often.
        #expect(looks.withLock { $0 } <= 1 + Int((ContinuousClock.now - begin) / .seconds(1)))
        #expect(told.withLock { $0 } == [.store])
    }

    @Test("Streams end cleanly when the server ends them, those that begin later too, and other work goes on")
    func endsStreams() async throws {
        let drain = Drain()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let endless = Task {
            try await drain.running {
                begin.yield()
                try await Task.sleep(for: .days(1))
            }
        }
        for await _ in begun { break }
        drain.endStreams()
        try await endless.value
        try await drain.running { try await Task.sleep(for: .days(1)) }
        #expect(drain.isAnnounced)
    }

    @Test("An error of the work itself comes through")
    func throwsOn() async {
        await #expect(throws: ServerStreamError.closed) {
            try await Drain().running { throw ServerStreamError.closed }
        }
    }
}
