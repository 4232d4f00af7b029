import AquiferConcurrency
import Foundation

/// The acknowledged changes, and the violations.
final class Tally: @unchecked Sendable {
    private let lock = Lock()
    private var kept: Set<Int> = []
    /// Cards that were removed or are about to be: they may still be there.
    private var left: Set<Int> = []
    private var removed: Set<Int> = []
    private var changes = 0
    private var rotations = 0
    private var wrong = 0

    func note(line: String) {
        let parts = line.split(separator: " ")
        let number = parts.count == 2 ? Int(parts[1]) : nil
        lock.withLock {
            switch (parts.first, number) {
            case ("rotated", nil): rotations += 1
            case ("added", let number?):
                changes += 1
                kept.insert(number)
            case ("removing", let number?):
                left.insert(number)
            case ("removed", let number?):
                changes += 1
                kept.remove(number)
                removed.insert(number)
            default:
                print("wrong: \(line)")
                wrong += 1
            }
        }
    }

    func note(wrong detail: String) {
        print("wrong: \(detail)")
        lock.withLock { wrong += 1 }
    }

    /// The cards that have to be there, and those that must not be.
    var expected: (kept: Set<Int>, removed: Set<Int>) { lock.withLock { (kept.subtracting(left), removed) } }

    /// True if a worker tells within so many seconds that a card may have gone.
    func isLeaving(_ number: Int, within seconds: TimeInterval) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            if lock.withLock({ left.contains(number) }) { return true }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return false
    }

    var result: (changes: Int, rotations: Int, wrong: Int) { lock.withLock { (changes, rotations, wrong) } }
}
