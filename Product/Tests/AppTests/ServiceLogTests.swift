import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

@MainActor
@Suite("The log of the server", .timeLimit(.minutes(10)))
struct ServiceLogTests {
    private let lines = Locked([String]())

    private func log(_ format: ServiceLog.Format) -> ServiceLog {
        let lines = lines
        return ServiceLog(format, now: { Date(timeIntervalSince1970: 1_780_000_000) }) { line in
            lines.withLock { $0.append(line) }
        }
    }

    /// The documents, once the log has ended.
    private func documents(_ log: ServiceLog) async throws -> [[String: Any]] {
        await log.end()
        return try lines.withLock { $0 }.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test("A request is one line with its class, status, time, bytes and id, and nothing that was typed")
    func request() async throws {
        let world = AppWorld(token: "secret-token")
        let log = log(.json)
        let watch = RequestWatch(log: log)
        let target = "/api/screens/marcia/events?tab=marcia&q=4242"
        let request = ServerRequest(
            "GET", target, headers: ["Authorization": "Bearer secret-token", "X-Request-Id": "0123456789abcdef"])
        let answer = await watch.answer(request) { _ in .text("marcia", status: 500) }
        #expect(answer.headers["X-Request-Id"] == "0123456789abcdef")
        let documents = try await documents(log)
        #expect(documents.count == 1)
        let line = try #require(documents.first)
        #expect(
            Set(line.keys)
                == ["time", "level", "event", "id", "method", "route", "status", "milliseconds", "bytes"])
        #expect(line["time"] as? String == "2026-05-28T20:26:40Z" && line["level"] as? String == "error")
        #expect(line["route"] as? String == "events" && line["status"] as? Int == 500 && line["bytes"] as? Int == 6)
        let text = lines.withLock { $0.joined() }
        for secret in ["marcia", "secret", "4242", "tab"] { #expect(!text.contains(secret)) }
        await world.services.stop()
    }

    @Test(
        "An id that could be something else than a name is replaced",
        arguments: ["", "short", "marcia@example", "0123456789abcde\u{e9}", String(repeating: "a", count: 65)])
    func foreignID(id: String) async {
        let watch = RequestWatch(log: .off)
        let answer = await watch.answer(ServerRequest("GET", "/", headers: ["X-Request-Id": id])) { _ in .empty() }
        let given = answer.headers["X-Request-Id"] ?? ""
        #expect(given != id && given.count == 32)
    }

    @Test("In words, only what changes the service is told; switched off, nothing is")
    func words() async {
        for (format, expected) in [(ServiceLog.Format.text, ["draining"]), (.off, [])] {
            let log = log(format)
            log.note(LogLine("request"))
            log.note(LogLine("x", sentence: "draining"))
            await log.end()
            #expect(lines.withLock { $0 } == expected)
            lines.withLock { $0 = [] }
        }
    }

    @Test("A reader that does not read holds nobody up: what is too much is counted and told")
    func slowReader() async throws {
        let gate = NSCondition()
        let isOpen = Locked(false)
        let lines = lines
        let log = ServiceLog(.json, now: { Date() }) { line in
            gate.withLock {
                let deadline = Date(timeIntervalSinceNow: 60)
                while !isOpen.withLock({ $0 }), gate.wait(until: deadline) {}
            }
            lines.withLock { $0.append(line) }
        }
        // The first lines may have been taken by the writer already.
        for _ in 0..<(3 * ServiceLog.most) { log.note(LogLine("request")) }
        gate.withLock {
            isOpen.withLock { $0 = true }
            gate.broadcast()
        }
        #expect(await eventually { lines.withLock { $0.contains { $0.contains("\"dropped\"") } } })
        let documents = try await documents(log)
        let dropped = documents.compactMap { $0["count"] as? Int }.reduce(0, +)
        #expect(documents.count { $0["event"] as? String == "request" } + dropped == 3 * ServiceLog.most)
    }

    @Test("The engine's events are told with the class of their key, those that come all the time are not")
    func engine() throws {
        #expect(LogLine(.asked(KeyClass(of: "feed:1"))) == nil)
        let refused = try #require(LogLine(.refused(KeyClass(of: "marcia:1"), milliseconds: 3, status: 422)))
        #expect(refused.keyClass == "other" && refused.status == 422 && refused.level == .warning)
        let stoodIn = try #require(LogLine(.stoodIn(KeyClass(of: "feed:1"), age: .seconds(1), trouble: .timedOut)))
        #expect(stoodIn.keyClass == "feed" && stoodIn.reason == "timedOut")
    }
}
