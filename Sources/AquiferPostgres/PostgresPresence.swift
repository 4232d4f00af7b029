import Aquifer
import AquiferFoundation

/// The knowledge of the server about the instances of a ``PostgresStore`` that live: each holds an advisory lock.
struct PostgresPresence: StorePresence {
    let store: PostgresStore

    var name: String? {
        let number = store.presenceOfThis.visible
        return number == 0 ? nil : "\(number)"
    }

    func time() async throws(StoreError) -> Date {
        let answers = try await store.ask([.init(.time, [])], to: "look at the clock")
        guard let microseconds = answers.first?.integer(0, 0) else {
            throw .failed(operation: "look at the clock", reason: "\(store.place): the answer has no time")
        }
        return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> {
        // After a restart of the server others may not have come back yet.
        guard store.presenceOfThis.seesOthers else { return [] }
        let numbers = names.compactMap(Int64.init).map(String.init)
        if numbers.isEmpty { return [] }
        let asked = Parameter.text(numbers.joined(separator: ","))
        let answers = try await store.ask([.init(.gone, [asked])], to: "look for those who have gone")
        guard let rows = answers.first else { return [] }
        return Set(
            (0..<rows.count).compactMap { row in rows.bytes(row, 0).map { String(decoding: $0, as: UTF8.self) } })
    }
}
