import Aquifer
import Foundation

/// Writes until it is killed. Tells the parent of each write only after the store acknowledged it.
struct Worker {
    let store: any CacheStore
    let writer: Int
    var numbers: SeededNumbers

    mutating func run() async throws {
        let acknowledged = FileHandle.standardOutput
        while true {
            guard let key = Plan.keys.randomElement(using: &numbers) else { return }
            let written = Counter()
            let writer = writer
            try await store.update(key) { found throws(StoreError) in
                let before: Int
                switch found {
                case .success(nil): before = 0
                case .success(let entry?): before = Plan.counter(of: entry, key: key) ?? -1
                case .failure: before = -1
                }
                written.value = before < 0 ? -1 : before + 1
                if before < 0 { return .keep }
                return .replace(Plan.entry(key: key, writer: writer, counter: before + 1))
            }
            let line = written.value < 0 ? "torn \(key)\n" : "\(key) \(written.value)\n"
            // One write call of less than PIPE_BUF bytes: the parent gets all of a line or none.
            try acknowledged.write(contentsOf: Data(line.utf8))
        }
    }
}

/// Set by the decision, which runs once and before the update returns.
private final class Counter: @unchecked Sendable {
    var value = 0
}
