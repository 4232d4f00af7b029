import AquiferFoundation

/// The files of queued requests.
extension Outbox {
    /// The saved part of a request, with copies of its files.
    func message(
        of request: HTTPRequest
    ) async throws(OutboxError) -> (OutboxRecord.Message, AttachmentHold?) {
        guard let parts = request.body?.parts else { return (.init(request, parts: nil), nil) }
        if let attachments {
            // The folder may be gone with the scope, and is not made again.
            if let end = await shelf.end { throw .store(end) }
            stems += 1
            let hold = try await attachments.keep(parts, stem: "\(owner.uuidString)-\(stems)")
            return (.init(request, parts: hold.parts), hold)
        }
        var kept: [OutboxRecord.Part] = []
        for part in parts {
            switch part {
            case .bytes(let data):
                kept.append(.bytes(data))
            case .file(let url, let offset, let length):
                let facts: FileFacts
                do throws(MultipartForm.UnusableFile) { facts = try FileFacts(of: url) } catch {
                    throw .attachment(name: error.name, reason: error.reason)
                }
                guard facts.size >= offset, facts.size - offset >= length else {
                    throw .attachment(name: url.lastPathComponent, reason: "is shorter than it should be")
                }
                kept.append(.file(url, offset: offset, length: length, facts))
            }
        }
        return (.init(request, parts: kept), nil)
    }

    /// Names the copies of a message after its item.
    func assign(
        _ hold: inout AttachmentHold?, _ message: inout OutboxRecord.Message, to number: UInt64
    ) async throws(StoreError) {
        guard var copies = hold else { return }
        // The names are recorded on failure too, because some copies may have been renamed by then.
        defer { (hold, message.parts) = (copies, copies.parts) }
        try await attachments?.assign(&copies, to: number)
    }

    /// Reserves the number of the next item, and closes those before it that need not stay open.
    func takeNumber() async throws(StoreError) -> UInt64 {
        let settled = await settled()
        let number = try await shelf.takeNumber(done: numbered + settled)
        for number in settled { doubtful[number] = nil }
        numbered = [number]
        return number
    }

    /// The doubtful numbers whose items are known here by now, or did not come within ten minutes. As long as one is open, each change
    /// of a resource reads the queue first.
    private func settled() async -> [UInt64] {
        var settled: [UInt64] = []
        for (number, since) in doubtful {
            if index.rows[number] != nil {
                settled.append(number)
                continue
            }
            guard index.elapsed() - since >= .seconds(600) else { continue }
            // What cannot be read now is looked for again with the next number.
            if case .nothing? = try? await shelf.find(number) { settled.append(number) }
        }
        return settled
    }

    /// Saves an item under its number, if the number is free.
    ///
    /// An error does not say that the item is not there, so that the store is asked. If it does not tell, `hold` is let go: the copies stay,
    /// and a sweep removes them if there is no item.
    ///
    /// - Returns: false when the number has an entry.
    /// - Throws: `StoreError.uncertain` if the item may be there; another error if it is not.
    func isSaved(
        _ record: OutboxRecord, _ number: UInt64, _ hold: inout AttachmentHold?
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) { return try await shelf.insert(record, number) } catch {
            switch await aftermath(of: error, saving: record.head.key, number) {
            case .saved: return true
            case .notSaved: throw error
            case .unknown:
                // The number stays open as well: the item may come later.
                numbered = []
                doubtful[number] = index.elapsed()
                hold = nil
                throw error.inDoubt(operation: "queue an item")
            }
        }
    }

    /// The fate of an item whose saving ended with an error.
    enum Aftermath: Sendable {
        case saved(OutboxRecord)
        case notSaved
        case unknown
    }

    /// Looks whether an item was saved although its saving ended with an error. The connection may have broken behind the change, or the
    /// item may be in its place without being flushed.
    func aftermath(of failure: StoreError, saving key: String, _ number: UInt64) async -> Aftermath {
        var isUncertain = false
        switch failure {
        case .uncertain: isUncertain = true
        // The scope took the change back, and nobody can ask it any more.
        case .ended: return .notSaved
        default: break
        }
        do throws(StoreError) {
            switch try await shelf.find(number) {
            case .record(let record) where record.head.key == key:
                if isUncertain { return .saved(record) }
                // A loss of power could take it away: it is written once more.
                let again = try await shelf.change(number) { $0.head.key == key ? .replace : .keep }
                if case .record(let written) = again { return .saved(written) }
                return .saved(record)
            // A server that could not answer in time may still make the change.
            case .nothing, .record: return isUncertain ? .unknown : .notSaved
            case .damaged: return .unknown
            }
        } catch { return .unknown }
    }

    /// Makes the copies of a saved item its own.
    ///
    /// Other senders see the item since it was saved. Copies that are gone were sent with it, or a sweep has taken them away before.
    ///
    /// - Throws: `StoreError.failed` if nobody can have sent the item without its copies: it is withdrawn. `StoreError.uncertain`
    ///   if it could not be withdrawn, or is being sent.
    func confirm(_ hold: AttachmentHold?, _ number: UInt64) async throws(StoreError) {
        guard let hold, let attachments, !hold.names.isEmpty else { return }
        // The item is saved: copies that cannot be confirmed now stay with it all the same.
        guard (try? await attachments.confirm(hold)) == false else { return }
        enum Fate { case sent, claimed, withdrawn }
        let fate: Fate?
        do throws(StoreError) {
            fate = try await shelf.change(number) { record -> (OutboxShelf.Change, Fate) in
                // A change whose answer has come stays, without its files, until a load shows it.
                if record.message.keptFiles != hold.names { return (.keep, .sent) }
                let head = record.head
                let isElsewhere = head.lease.map { $0.owner != owner } ?? false
                let mayBeSent = isElsewhere || head.mayHaveArrived || head.attempts > 0
                return mayBeSent ? (.keep, .claimed) : (.delete, .withdrawn)
            }.value
        } catch {
            throw error.inDoubt(operation: "queue an item")
        }
        let failure = StoreError.failed(
            operation: "keep the files of an item",
            reason: "another process took this one for dead, and removed them; queue it again")
        switch fate {
        // An item that is gone was sent by now, with its copies.
        case nil, .sent: return
        case .claimed: throw failure.inDoubt(operation: "queue an item")
        case .withdrawn: throw failure
        }
    }
}

extension StoreError {
    /// The error of a change that may have been made although it ended with this one.
    func inDoubt(operation: String) -> StoreError {
        switch self {
        case .uncertain, .ended: self
        default: .uncertain(operation: operation, reason: "\(self)")
        }
    }
}

/// The place of the files that an outbox sends.
public enum OutboxFiles: Sendable {
    /// Nowhere: the original files are sent.
    case originals
    /// In a folder of the outbox's own, as copies.
    case folder(URL)
    /// In a store, in pieces of 1 MiB, so that another machine that shares it can send an item whose machine has gone. Nothing else
    /// may use the store, nothing in it expires, and nothing is evicted. `copies` gives a folder of this process's own, where a file is
    /// made from its pieces to be sent; what is in it may be lost.
    case store(any CacheStore, copies: @Sendable () throws(StoreError) -> URL)

    func keeper(_ now: @escaping @Sendable () -> Date) -> (any AttachmentKeeper)? {
        switch self {
        case .originals: nil
        case .folder(let folder): AttachmentFolder(folder)
        case .store(let store, let copies): StoredAttachments(in: store, copies: copies, now: now)
        }
    }
}

extension Outbox {
    /// Creates an outbox that keeps its files where `files` says. The other parameters are those of
    /// ``init(in:attachments:client:policy:skipsRefused:owner:events:judge:whenSent:)``.
    public init(
        in store: any CacheStore, files: OutboxFiles, client: any HTTPClient, policy: SendPolicy = SendPolicy(),
        skipsRefused: Bool = false, owner: UUID = UUID(), events: (any AquiferEvents)? = nil,
        judge: @escaping Judge = { Verdict($1, $2, of: $0) }, whenSent: @escaping WhenSent = { _, _ in }
    ) {
        self.init(
            in: store, keeper: files.keeper(policy.now), client: client, policy: policy, skipsRefused: skipsRefused,
            owner: owner, events: events, judge: judge, whenSent: whenSent)
    }
}
