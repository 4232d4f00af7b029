import Foundation

/// A queue of requests that survives the network, the process and the day: what is queued is sent, once, in order.
///
/// ```swift
/// let outbox = Outbox(in: store, attachments: folder, client: client)
/// try await outbox.enqueue(request, group: "clip/7")     // returns once it is on disk
/// await outbox.run()                                     // sends as long as the app runs
/// ```
///
/// - Kept: ``enqueue(_:group:label:)`` returns once the item is in the store. It leaves the queue when the server
///   has taken it or someone discards it, and for no other reason.
/// - Once: each item has a key, made when it is queued and sent as `Idempotency-Key` at each try. A server that honours
///   it has each item once, whatever is killed when, and however many processes send from one queue.
/// - In order: of a group one item is sent at a time, in the order they were queued. One that waits, is paused or was
///   refused holds back those behind it, and no other group.
/// - Again: 408, 425, 429, 5xx, and no answer are tried again, as ``SendPolicy`` says, for as long as it takes. What
///   else the server refuses is set aside with its words, until someone retries, edits or discards it.
/// - Soon: a host that was silent and answers again, or ``prod()``, brings forward what waited for it.
/// - Files are sent from where they lie, never from memory. With a folder for attachments they are copied there first,
///   so that the original may go. Without one, a file that is gone or was changed is refused when its turn comes.
/// - An entry that cannot be read is set aside and told, and the others go on.
///
/// Give it a store of its own, in which nothing expires and nothing is evicted: for one on SQLite, with
/// `durability: .power`. Credentials do not belong in what is queued: have the client add them to what it sends.
public actor Outbox {
    /// Says what an answer means. `body` is what came of it, up to 1 MiB.
    public typealias Judge = @Sendable (_ item: Item, _ head: HTTPResponseHead, _ body: Data) -> Verdict

    let shelf: OutboxShelf
    let attachments: AttachmentFolder?
    let client: any HTTPClient
    let policy: SendPolicy
    let passesRefused: Bool
    let judge: Judge
    /// Tells this outbox' claims from those of others.
    let owner: UUID

    var index = OutboxIndex()
    /// Queued here and not in the index yet.
    var fresh: [UInt64] = []
    /// Numbers taken by others whose items were not in the store when they were looked for, and may be by now.
    var expected: Set<UInt64> = []
    /// One item at a time gets its number and is put in the store: see `OutboxShelf.Counter.open`.
    private let turn = Turnstile()
    private var numbered: [UInt64] = []
    private var stems = 0
    /// Groups whose turn may have come.
    var ready: [OutboxIndex.Group] = []
    var readyFrom = 0
    /// What is being sent from here, with how to stop it once it is under way.
    var sending: [UInt64: Task<Void, Never>?] = [:]
    /// What kept the store from going on; ends the drain that meets it.
    var storeFailure: StoreError?
    var hasAudited = false
    /// Those whose end someone watches, and that end: the queue itself forgets it.
    nonisolated let watched = Locked([ID: (watchers: Int, end: State?)]())
    /// How many bytes have gone out of what is being sent; written by clients on any thread.
    nonisolated let progress = Locked([UInt64: UInt64]())
    /// Rings when there may be something to send.
    nonisolated let work = Bell()
    /// Rings when anything looks different.
    nonisolated let changes = Bell()

    /// An outbox over a store. Several, in several processes, may share one, with the same folder.
    ///
    /// - Parameters:
    ///   - store: where items are kept; for this queue alone.
    ///   - attachments: a folder for copies of the files that are queued; `nil` to send them from where they lie. It is
    ///     the outbox's own: what belongs to no item is removed.
    ///   - client: carries the requests.
    ///   - policy: how many at once, when again, by which clocks.
    ///   - passesRefused: whether the others of a group go on when one was refused. A refused item that is retried
    ///     then arrives after items that were queued later.
    ///   - owner: tells this outbox from others over the same store.
    ///   - judge: says what an answer means; unless told otherwise 2xx is sent, 408, 425, 429 and 5xx are tried again,
    ///     and anything else is refused.
    public init(
        in store: any CacheStore, attachments: URL? = nil, client: any HTTPClient, policy: SendPolicy = SendPolicy(),
        passesRefused: Bool = false, owner: UUID = UUID(),
        judge: @escaping Judge = { _, head, _ in Verdict(status: head.status) }
    ) {
        shelf = OutboxShelf(store: store, now: policy.now)
        self.attachments = attachments.map { AttachmentFolder($0) }
        self.client = client
        self.policy = policy
        self.passesRefused = passesRefused
        self.owner = owner
        self.judge = judge
    }

    /// Queues a request. Returns once it is on disk, with its idempotency key, and its files in the outbox's folder.
    ///
    /// - Parameters:
    ///   - request: what to send. Its `Idempotency-Key` will be the item's; its `onSent` is not kept.
    ///   - group: what it keeps its order in; `nil` to wait for no other.
    ///   - label: what the app calls it, for lists.
    /// - Throws: ``OutboxError``: `.store` when it could not be kept (``StoreError/full(path:)`` when the disk is full),
    ///   `.attachment` when a file of it is not there, `.unsendable` when its URL leads nowhere. Nothing was queued then.
    @discardableResult
    public func enqueue(
        _ request: HTTPRequest, group: String? = nil, label: String = ""
    ) async throws(OutboxError) -> Item {
        guard request.url.isWebAddress else { throw .unsendable("only http and https to a host are spoken") }
        let head = OutboxRecord.Head(
            group: group, label: label, key: policy.makeKey(), queuedAt: policy.now(), method: request.method.rawValue,
            url: request.url, length: request.body?.length ?? 0)
        var (message, hold) = try await message(of: request)
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        let number: UInt64
        do throws(StoreError) {
            number = try await shelf.takeNumber(done: numbered)
            numbered = [number]
            try assign(&hold, &message, to: number)
            try await shelf.insert(OutboxRecord(head: head, message: message), number)
        } catch {
            attachments?.remove(hold?.names ?? [])
            throw .store(error)
        }
        withExtendedLifetime(hold) {}  // the copies are the item's from here on: no sweep takes them away
        fresh.append(number)
        work.ring()
        changes.ring()
        return Item(ID(number: number), head, .waiting)
    }

    /// What is kept of a request, its files copied.
    func message(
        of request: HTTPRequest
    ) async throws(OutboxError) -> (OutboxRecord.Message, AttachmentFolder.Hold?) {
        guard let parts = request.body?.parts else { return (.init(request, parts: nil), nil) }
        if let attachments {
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
        _ hold: inout AttachmentFolder.Hold?, _ message: inout OutboxRecord.Message, to number: UInt64
    ) throws(StoreError) {
        guard var copies = hold else { return }
        // Also on failure: some may have been named by then.
        defer { (hold, message.parts) = (copies, copies.parts) }
        try attachments?.assign(&copies, to: number)
    }
}

extension Outbox.Verdict {
    /// What a status means by itself.
    public init(status: Int) {
        switch status {
        case 200...299: self = .sent
        case 408, 425, 429, 500...599: self = .again
        default: self = .refused
        }
    }
}

extension Outbox.Item {
    init(_ id: Outbox.ID, _ head: OutboxRecord.Head, _ state: Outbox.State) {
        self.init(
            id: id, group: head.group, label: head.label, key: head.key, queuedAt: head.queuedAt,
            method: HTTPRequest.Method(rawValue: head.method), url: head.url, length: head.length,
            attempts: head.attempts, state: state)
    }
}
