import AquiferFoundation
import AquiferHTTP

/// The part of an item beside its request when it is a change of an ``EditableResource``.
struct OutboxChange: Sendable, Hashable, Codable {
    /// The name of the resource's changes.
    var kind: String
    /// The id of what it changes, as the app drew it.
    var target: String
    /// The change, encoded.
    var bytes: Data
    /// The part that it concerns as it was before it, encoded.
    var base: Data?
    /// The version of the target that the user saw.
    var version: String?
    /// The ``Facts/sequence`` of the target that was known when the version was read: a later one is newer than what the user saw.
    var asOf: UInt64 = 0
    /// True if the app has given it its key, which it keeps.
    var hasOwnKey: Bool?
    /// Set when the server has accepted it. The item then waits for nothing but a load that shows it.
    var confirmed: Confirmed?

    struct Confirmed: Sendable, Hashable, Codable {
        /// The time of the answer.
        var at: Date
    }

    /// The facts that the server has told about a target. It outlives the item, for the items that wait.
    struct Facts: Sendable, Hashable, Codable {
        var target: String
        /// The server's id; `nil` if it has given none.
        var id: String?
        /// The number of the item whose answer has told the id.
        var by: UInt64?
        /// The version that this user's last changes were made over, and those that their answers told, one after the other (`nil`: none
        /// told). Nobody else has changed the target between the first and the last; of many, some in the middle are left out.
        var versions: [String?]
        /// Counts the confirmations of the target.
        var sequence: UInt64 = 1
        var at: Date

        /// The newest confirmed version; `nil` if the last answer told none.
        var version: String? { versions.last ?? nil }

        /// The version that a change is sent over: the newest one, if only this user has changed the target since the one that it was made
        /// over. Otherwise it is that one, and the server can tell the conflict.
        func version(for change: OutboxChange, _ number: UInt64) -> String? {
            let isNewer = sequence > change.asOf && by != number && versions.contains(change.version)
            return isNewer ? version : change.version
        }
    }
}

/// The functions that an outbox needs to send the changes of a resource.
struct ChangeHandler: Sendable {
    typealias IDs = @Sendable (String) -> String

    /// Makes the request for one attempt.
    let request: @Sendable (_ change: Data, _ ids: IDs, _ version: String?) throws -> HTTPRequest
    /// The meaning of an answer; `nil` to leave it to the judge.
    let verdict: @Sendable (_ change: Data, _ ids: IDs, HTTPResponseHead, Data) -> Outbox.Verdict?
    /// Reads the server's answer.
    let confirm: @Sendable (_ change: Data, _ ids: IDs, Outbox.Answer) throws -> Confirmation

    struct Confirmation: Sendable {
        var change: Data
        var id: String?
        var version: String?
    }
}

extension ChangeHandler {
    /// For changes of a type.
    init<Change: PendingChange>(_ type: Change.Type) {
        request = { bytes, ids, version in
            try JSONDecoder().decode(Change.self, from: bytes).replacingIDs(ids).request(version: version)
        }
        verdict = { bytes, ids, head, body in
            // One that cannot be read is left to the judge.
            (try? JSONDecoder().decode(Change.self, from: bytes))?.replacingIDs(ids).verdict(head, body)
        }
        confirm = { bytes, ids, answer in
            let change = try JSONDecoder().decode(Change.self, from: bytes).replacingIDs(ids)
            let confirmation = try change.confirmation(answer)
            return Confirmation(
                change: try JSONEncoder().encode(confirmation.change), id: confirmation.id,
                version: confirmation.version)
        }
    }
}

extension OutboxRecord.Head {
    /// True if the server has accepted this change.
    var isConfirmed: Bool { change?.confirmed != nil }

    /// True if the request may have left this machine: another one is sent after it, and none in its place.
    var wasTried: Bool { lease != nil || mayHaveArrived || isConfirmed }
}

extension OutboxShelf {
    static let factsPrefix = "target:"
    /// The `Last-Modified` of the entry of a confirmed change: a list shows that it waits for no server.
    static let confirmedTag = "confirmed"

    private static func factsPrefix(_ kind: String) -> String { factsPrefix + escaped(kind) + ":" }

    /// No slash, which separates a scope's keys, and no colon.
    private static func escaped(_ text: String) -> String { PercentEncoding.encode(text) }

    /// All that is known of the targets of a resource. Damaged facts count as unknown: the server's refusal then tells.
    func facts(of kind: String) async throws(StoreError) -> [StoreKey: OutboxChange.Facts] {
        var all: [StoreKey: OutboxChange.Facts] = [:]
        for summary in try await store.contents(prefix: Self.factsPrefix(kind)).entries {
            guard let facts = try await facts(under: summary.key) else { continue }
            all[facts.target] = facts
        }
        return all
    }

    /// The known facts of a target.
    func facts(of kind: String, _ target: String) async throws(StoreError) -> OutboxChange.Facts? {
        try await facts(under: Self.factsPrefix(kind) + Self.escaped(target))
    }

    private func facts(under key: String) async throws(StoreError) -> OutboxChange.Facts? {
        do throws(StoreError) {
            guard let entry = try await store.retrieve(key) else { return nil }
            // What are no facts count as unknown.
            return try? JSONDecoder().decode(OutboxChange.Facts.self, from: entry.bytes)
        } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }

    /// Keeps what an answer to a change tells of its target. An id stays once it is known.
    ///
    /// - Parameter givesID: true if the answer has told the id.
    /// - Returns: what is known of the target now.
    func keep(
        _ new: OutboxChange.Facts, after change: OutboxChange, _ number: UInt64, givesID: Bool
    ) async throws(StoreError) -> OutboxChange.Facts {
        let key = Self.factsPrefix(change.kind) + Self.escaped(new.target)
        return try await store.decide(key) { found throws(StoreError) -> (EntryChange, OutboxChange.Facts) in
            var facts = new
            let entry: StoredEntry?
            do throws(StoreError) { entry = try found.get() } catch {
                // Damaged facts are replaced. Those that the system could not read have the id.
                guard case .unreadable = error else { throw error }
                entry = nil
            }
            // Facts of another form are damaged facts.
            if let entry, let known = try? JSONDecoder().decode(OutboxChange.Facts.self, from: entry.bytes) {
                if !givesID, known.id != nil { (facts.id, facts.by) = (known.id, known.by) }
                facts.sequence = max(known.sequence &+ 1, new.sequence)
                if known.version(for: change, number) == known.version {
                    facts.versions = known.versions + [new.version]
                    if facts.versions.count > 100 { facts.versions.remove(at: 1) }
                }
            }
            return (.replace(StoredEntry(bytes: try Self.encode(facts), savedAt: new.at)), facts)
        }
    }

    /// Forgets a target for which no item waits, unless screens may hold the id that the app drew for it.
    func forget(_ target: String, of kind: String, before date: Date) async throws(StoreError) {
        guard let known = try await facts(of: kind, target), known.id == nil || known.at < date else { return }
        try await store.update(Self.factsPrefix(kind) + Self.escaped(target)) { found throws(StoreError) in
            // Facts that were told meanwhile stay, and so do those that cannot be read any more.
            guard case .success(let entry?) = found,
                let facts = try? JSONDecoder().decode(OutboxChange.Facts.self, from: entry.bytes), facts == known
            else { return .keep }
            return .delete
        }
    }
}
