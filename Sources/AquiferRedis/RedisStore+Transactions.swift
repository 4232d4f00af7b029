import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// Several entries at one moment. The mark of an entry is its head.
extension RedisStore: TransactionalStore {
    /// See `TransactionalStore.read(_:)`. It is one command.
    public func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        if keys.isEmpty { return [] }
        let words = keys.flatMap { [names.generation(ofPart: RedisNames.part(of: $0)), names.word($0)] }
        let operation = "read \(keys.count) entries"
        let replies = try await ask([Command([.text("MGET")] + words)], to: operation).replies[0].list
        guard replies.count == 2 * keys.count else { throw strange(operation) }
        return keys.enumerated().map { place, key in
            let generation = replies[2 * place].data
            if let generation { know(generation, RedisNames.part(of: key)) }
            guard let found = Value.read(replies[2 * place + 1], key, generation: generation) else {
                return .success(nil)
            }
            return found.entry.map { SeenEntry(entry: $0, mark: found.head) }
        }
    }

    /// See `TransactionalStore.commit(_:_:)`. Each commit is as durable as every change of this store. It is one script.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        if writes.isEmpty { return .made([]) }
        let changed = writes.filter { $0.change != .keep }.map(\.key)
        let commit = try await turns.run(writes.map { StoreKey($0.key) }) { () async throws(StoreError) -> Commit in
            do throws(StoreError) { return try await carryOut(writes, changed) } catch {
                if case .uncertain = error { for key in changed { doubt(.entry(key)) } }
                throw error
            }
        }
        if case .made = commit { for key in changed { changes.post(.entry(key)) } }
        return commit
    }

    private func carryOut(_ writes: [EntryWrite], _ changed: [String]) async throws(StoreError) -> Commit {
        let operation = "commit \(writes.count) entries"
        let marks = writes.map { _ in Value.token() }
        // A mark is as good for a new generation: nobody else has it.
        var generations = zip(writes, marks).map { generation(ofPart: RedisNames.part(of: $0.key)) ?? $1 }
        let told = ToldChange.parts(of: changed).map {
            Command.Word.text(ToldChange.text(entries: Array(changed[$0]), from: instance))
        }
        var (sendsLarge, wasRepeated) = (true, false)
        while true {
            var step = CommitStep()
            for place in writes.indices {
                try step.add(writes[place], names, generations[place], marks[place], sendsLarge)
            }
            let fixed: [Command.Word] = [lifetime, .text(names.channel), .text("\(writes.count)")]
            let answer = try await run(
                .commit, step.keys + step.places, fixed + step.arguments + told, after: step.before, to: operation)
            wasRepeated = wasRepeated || answer.wasRepeated
            switch answer.reply {
            case .integer(1): return .made(step.newMarks)
            // The server was so full that it has forgotten a value since the last command.
            case .integer(2): sendsLarge = false
            case .list(let refused) where refused.first?.integer != nil:
                // What was deleted before the connection broke is not as it was seen.
                if wasRepeated, writes.contains(where: { $0.change == .delete }) {
                    throw .uncertain(operation: operation, reason: "\(place): the connection broke")
                }
                let places = refused.compactMap(\.integer).map { Int($0) - 1 }
                return .refused(places.filter(writes.indices.contains).map { writes[$0].key })
            case .list(let others) where others.count == writes.count:
                for (place, other) in others.enumerated() {
                    guard let other = other.data, other.count == Value.generationLength else { continue }
                    generations[place] = other
                    know(other, RedisNames.part(of: writes[place].key))
                }
            default: throw strange(operation)
            }
        }
    }
}

/// The words of a commit.
private struct CommitStep {
    var keys: [Command.Word] = []
    /// The places of large values, and the commands that put them there.
    var (places, before) = ([Command.Word](), [Command]())
    var arguments: [Command.Word] = []
    var newMarks: [Data?] = []

    mutating func add(
        _ write: EntryWrite, _ names: RedisNames, _ generation: Data, _ mark: Data, _ sendsLarge: Bool
    ) throws(StoreError) {
        keys += [names.generation(ofPart: RedisNames.part(of: write.key)), names.word(write.key)]
        let seen: Command.Word =
            switch write.condition {
            case .always: .text("")
            case .absent: .text("-")
            // No head is shorter.
            case .seen(let mark): mark.count == Value.headLength ? .data(mark) : .text("?")
            }
        var (value, newMark) = (Command.Word.text(write.change == .delete ? "-" : ""), Data?.none)
        if case .replace(let entry) = write.change {
            let head = try Value.head(of: entry, write.key, generation: generation, mark: mark)
            newMark = Data(head.prefix(Value.headLength))
            value = .parts(head, entry.bytes)
            if sendsLarge, entry.bytes.count > RedisStore.largestArgument {
                let place = Command.Word.data(names.waiting(mark))
                before.append(Command([.text("SET"), place, value, .text("PX"), .text("60000")]))
                places.append(place)
                value = .data(head.prefix(Value.headLength) + Data("@".utf8))
            }
        }
        newMarks.append(newMark)
        arguments += [.data(generation), .data(mark), seen, value]
    }
}
