import Aquifer
import AquiferFoundation

extension PostgresStore {
    /// The steps for several entries: one statement each, whose rows are claimed by `SKIP LOCKED`.
    public var batches: (any EntryBatches)? { PostgresBatches(store: self) }
}

/// Several rows at once.
struct PostgresBatches: EntryBatches {
    let store: PostgresStore
    /// The number of entries, and of bytes in them, of one statement.
    private static let (most, room) = (500, 4 << 20)

    func retrieve(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        var found: [Result<SeenEntry?, StoreError>] = []
        for start in stride(from: 0, to: keys.count, by: Self.most) {
            found += try await store.read(Array(keys[start..<min(start + Self.most, keys.count)]))
        }
        return found
    }

    func change(_ changes: [SeenChange]) async throws(StoreError) -> [SeenEntry?] {
        // An entry in pieces takes several statements.
        let isLarge = { (change: SeenChange) in (change.replacement?.bytes.count ?? 0) > Row.largest }
        var made = [SeenEntry?](repeating: nil, count: changes.count)
        let small = changes.indices.filter { !isLarge(changes[$0]) }
        for part in Self.parts(small, of: changes) {
            for (place, now) in zip(part, try await write(part.map { changes[$0] })) { made[place] = now }
        }
        for place in changes.indices.filter({ isLarge(changes[$0]) }) {
            let change = changes[place]
            guard let entry = change.replacement else { continue }
            made[place] = try await store.replace(change.key, change.seen.mark, entry).map {
                SeenEntry(entry: entry, mark: $0)
            }
        }
        return made
    }

    /// The places in parts of one statement each.
    private static func parts(_ places: [Int], of changes: [SeenChange]) -> [[Int]] {
        var (parts, size) = ([[Int]](), 0)
        for range in ToldChange.parts(of: places.map { changes[$0].key }) {
            parts.append([])
            size = 0
            for place in places[range] {
                let added = changes[place].replacement?.bytes.count ?? 0
                if !parts[parts.count - 1].isEmpty, size + added > room || parts[parts.count - 1].count == most {
                    parts.append([])
                    size = 0
                }
                parts[parts.count - 1].append(place)
                size += added
            }
        }
        return parts
    }

    private func write(_ changes: [SeenChange]) async throws(StoreError) -> [SeenEntry?] {
        for change in changes where change.key.isEmpty { throw .invalidKey(change.key) }
        let marks = changes.map { _ in Row.newMark() }
        var heads: [Data?] = []
        for change in changes {
            heads.append(
                try change.replacement.map { entry throws(StoreError) in
                    try EntryCoding.head(of: entry, key: change.key)
                })
        }
        let parameters =
            store.told(entries: changes.map(\.key)) + [
                .list(changes.map { Data($0.key.utf8) }), .list(changes.map(\.seen.mark)), .list(marks), .list(heads),
                .list(changes.map { $0.replacement?.bytes }),
            ]
        let operation = "change \(changes.count) entries"
        let rows: Rows?
        let request = store.request([.init(.changeMany, parameters)], writes: false)
        let outcome = await store.outcome(of: request)
        // After a lost answer the statement is repeated, and finds what it has made, but not what it has deleted.
        let isRepeated = request.attempts > 1
        if isRepeated { for change in changes { store.changes.post(.entry(change.key)) } }
        switch outcome {
        case .rows(let answers): rows = answers.first
        case .refused(let failure) where !isRepeated: throw failure.error(operation, store.place)
        // It may have been on its way.
        case .refused(let failure), .unreachable(let failure), .uncertain(let failure):
            for change in changes { store.doubt(.entry(change.key)) }
            throw .uncertain(operation: operation, reason: "\(store.place): \(failure.message)")
        case .written: throw .failed(operation: operation, reason: "\(store.place): an answer to another question")
        }
        var made = [SeenEntry?](repeating: nil, count: changes.count)
        for row in 0..<(rows?.count ?? 0) {
            guard let place = rows?.integer(row, 0).flatMap({ Int(exactly: $0 - 1) }), made.indices.contains(place)
            else { continue }
            // What was deleted has no entry: its last one stands for it.
            made[place] = SeenEntry(
                entry: changes[place].replacement ?? changes[place].seen.entry, mark: marks[place])
            store.changes.post(.entry(changes[place].key))
        }
        return made
    }
}
