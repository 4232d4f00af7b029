import Aquifer
import AquiferConcurrency
import AquiferFoundation

extension PostgresStore: DurableStore {
    /// See `TransactionalStore.read(_:)`. It is one statement.
    public func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        var found = [Result<SeenEntry?, StoreError>](repeating: .success(nil), count: keys.count)
        if keys.isEmpty { return found }
        let names = Parameter.list(keys.map { Data($0.utf8) })
        guard let rows = try await ask([.init(.readSeen, [names])], to: "read \(keys.count) entries").first else {
            return found
        }
        for row in 0..<rows.count {
            guard let place = rows.integer(row, 0).flatMap({ Int(exactly: $0 - 1) }), found.indices.contains(place)
            else { continue }
            found[place] = Self.seen(rows, row, keys[place]).map { $0 }
        }
        return found
    }

    /// See `DurableStore.read(prefix:after:limit:)`. It is one statement.
    public func read(prefix: String, after: String?, limit: Int) async throws(StoreError) -> SeenPage {
        let (range, limit) = (KeyRange(prefix), max(1, limit))
        let last = after.flatMap { Data(hexadecimal: $0) } ?? Data()
        let parameters = [range.prefix, range.first, range.end, .bytes(last), .integer(Int64(limit))]
        var page = SeenPage(entries: [])
        guard let rows = try await ask([.init(.readRange, parameters)], to: "read entries").first else { return page }
        for row in 0..<rows.count {
            let (id, head) = (rows.bytes(row, 0) ?? Data(), rows.bytes(row, 2) ?? Data())
            do throws(SealedEntry.Damage) {
                let key = try Self.key(of: head, id)
                page.entries.append((key, Self.seen(rows, row, key)))
            } catch { page.damaged.append(Self.damaged(id, error)) }
            if row == limit - 1 { page.next = id.hexadecimal }
        }
        return page
    }

    private static func seen(_ rows: Rows, _ row: Int, _ key: String) -> Result<SeenEntry, StoreError> {
        Result { () throws(StoreError) in
            let (mark, head, bytes) = (rows.bytes(row, 1), rows.bytes(row, 2), rows.bytes(row, 3))
            return SeenEntry(entry: try Row.entry(head ?? Data(), bytes ?? Data(), for: key), mark: mark ?? Data())
        }
    }

    /// See `TransactionalStore.commit(_:_:)`. Each commit is as durable as every change of this store.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        if writes.isEmpty { return .made([]) }
        let rows = try CommitRows(writes)
        let changed = writes.filter { $0.change != .keep }.map(\.key)
        let told = ToldChange.parts(of: changed).map {
            Data(ToldChange.text(entries: Array(changed[$0]), from: instance).utf8)
        }
        let steps =
            [Request.Step(.commit, [.text(schema.channel), .list(told, of: .text)] + rows.parameters)] + rows.pieces
        let commit = try await turns.run(writes.map { StoreKey($0.key) }) { () async throws(StoreError) -> Commit in
            do throws(StoreError) {
                while true {
                    let request = request(steps, writes: true)
                    let isMade = try await change(request, "commit \(writes.count) entries")
                    if isMade { return .made(rows.newMarks) }
                    let refused = try await refused(request, writes)
                    // After a lost answer nobody knows which they were, and all may be as they must be by now.
                    if !refused.isEmpty { return .refused(refused) }
                }
            } catch {
                if case .uncertain = error { for key in changed { doubt(.entry(key)) } }
                throw error
            }
        }
        if case .made = commit { for key in changed { changes.post(.entry(key)) } }
        return commit
    }

    /// The keys of a commit that was refused.
    private func refused(_ request: Request, _ writes: [EntryWrite]) async throws(StoreError) -> [String] {
        if let answer = request.results.first, answer.count == 1, let places = answer.bytes(0, 1) {
            let numbers = String(decoding: places, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
            return numbers.filter { writes.indices.contains($0 - 1) }.sorted().map { writes[$0 - 1].key }
        }
        let found = try await read(writes.map(\.key))
        return zip(writes, found).compactMap { write, found in
            let (mark, exists) =
                if case .success(let seen) = found { (seen?.mark, seen != nil) } else { (Data?.none, true) }
            return write.condition.holds(mark, exists: exists) ? nil : write.key
        }
    }
}

/// The writes of a commit as lists of the statement.
private struct CommitRows {
    /// The marks of the entries afterwards, as far as they are new.
    var newMarks: [Data?] = []
    /// The locks, and the lists of what is written.
    let parameters: [Parameter]
    var pieces: [Request.Step] = []

    init(_ writes: [EntryWrite]) throws(StoreError) {
        var (seen, marks, heads, bodies, parts) = ([Data?](), [Data?](), [Data?](), [Data?](), [Data?]())
        var locks: Set<Int64> = []
        for write in writes {
            switch write.condition {
            case .always: seen.append(nil)
            case .absent: seen.append(Data())
            case .seen(let mark):
                // No entry has the mark of no bytes, which would ask for none.
                seen.append(mark.isEmpty ? Data([0]) : mark)
            }
            var (mark, head, body, count) = (Data?.none, Data?.none, Data?.none, 0)
            switch write.change {
            case .keep: break
            case .delete: mark = Data()
            case .replace(let entry):
                let new = Row.newMark()
                (mark, head) = (new, try EntryCoding.head(of: entry, key: write.key))
                if entry.bytes.count > Row.largest {
                    let all = entry.bytes.parts(of: Row.largest)
                    count = all.count
                    for (number, piece) in all.enumerated() {
                        pieces.append(
                            .init(.piece, [.text(write.key), .bytes(new), .integer(Int64(number)), .bytes(piece)]))
                    }
                } else {
                    body = entry.bytes
                }
            }
            if write.condition == .absent || (head != nil && write.condition == .always) {
                locks.insert(Schema.lock(write.key))
            }
            newMarks.append(head == nil ? nil : mark)
            marks.append(mark)
            heads.append(head)
            bodies.append(body)
            parts.append(Self.number(Int64(count)))
        }
        parameters = [
            .list(locks.sorted().map(Self.number), of: .integer), .list(writes.map { Data($0.key.utf8) }), .list(seen),
            .list(marks),
            .list(heads), .list(bodies), .list(parts, of: .integer),
        ]
    }

    private static func number(_ number: Int64) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
