import Aquifer
import AquiferTesting
import Foundation
import Hammer

/// Writes until it is killed. Tells the parent of each write only after the store acknowledged it.
struct Worker {
    let store: any CacheStore
    let writer: Int
    var numbers: SeededNumbers

    mutating func run() async throws {
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
            try HammerProcess.tell(written.value < 0 ? "torn \(key)" : "\(key) \(written.value)")
        }
    }
}

/// Set by the decision, which runs once and before the update returns.
private final class Counter: @unchecked Sendable {
    var value = 0
}
