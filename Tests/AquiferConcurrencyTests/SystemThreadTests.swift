import AquiferConcurrency
import Foundation
import Testing

@Suite("A thread of the system")
struct SystemThreadTests {
    @Test("runs its closure on a thread of its own, under its name", .timeLimit(.minutes(1)))
    func running() async throws {
        let name = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<String?, any Error>) in
            do throws(SystemThread.Unavailable) {
                try SystemThread.start(named: "Aquifer-test") {
                    continuation.resume(returning: Thread.isMainThread ? nil : nameOfThisThread())
                }
            } catch { continuation.resume(throwing: error) }
        }
        #expect(name == "Aquifer-test")
    }

    @Test("that the system refuses is an error with the system's words")
    func refusal() {
        #expect(SystemThread.Unavailable(code: ENOMEM).description == String(cString: strerror(ENOMEM)))
    }
}

private func nameOfThisThread() -> String? {
    #if os(Linux)
        let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)  // nil fails the test
        return comm?.trimmingCharacters(in: .newlines)
    #else
        return Thread.current.name
    #endif
}
