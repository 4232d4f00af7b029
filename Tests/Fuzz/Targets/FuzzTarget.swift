import Foundation

/// A decoder of foreign bytes, with what must hold for each of its inputs.
///
/// libFuzzer calls it with inputs that it makes (`make fuzz`), and `KeptInputTests` with those that were kept.
struct FuzzTarget: Sendable {
    /// The work on one input.
    enum Work: Sendable {
        case now(@Sendable (Data) throws -> Void)
        case later(@Sendable (Data) async throws -> Void)
    }

    /// The name: that of the file with its kept inputs.
    let name: String
    private let work: Work

    /// A target without a wait.
    static func now(_ name: String, _ work: @escaping @Sendable (Data) throws -> Void) -> FuzzTarget {
        FuzzTarget(name: name, work: .now(work))
    }

    /// A target that waits for other tasks.
    static func later(_ name: String, _ work: @escaping @Sendable (Data) async throws -> Void) -> FuzzTarget {
        FuzzTarget(name: name, work: .later(work))
    }

    /// All targets. `Scripts/fuzz` reads their names here.
    static let all: [FuzzTarget] = stored + messages + forms + chain + secrets + answers + drive + typed + servers

    /// Runs the decoder on an input.
    ///
    /// - Throws: a ``BrokenPromise``, or an error that the decoder must not throw. A refusal of the input is no error.
    func run(_ input: Data) async throws {
        switch work {
        case .now(let work): try work(input)
        case .later(let work): try await work(input)
        }
    }

    /// Runs the decoder on an input, and waits for it on this thread, which must be none of Swift's own.
    func runAndWait(_ input: Data) throws {
        switch work {
        case .now(let work): try work(input)
        case .later(let work):
            let outcome = Outcome()
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                do { try await work(input) } catch { outcome.error = error }
                done.signal()
            }
            done.wait()
            if let error = outcome.error { throw error }
        }
    }

    /// Written before the semaphore's signal, and read after it.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }
}

/// Something that a decoder promises and that did not hold for an input.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

/// Checks a promise.
func promise(_ holds: Bool, _ words: @autoclosure () -> String) throws(BrokenPromise) {
    guard holds else { throw BrokenPromise(description: words()) }
}
