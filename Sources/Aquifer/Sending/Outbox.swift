import AquiferConcurrency
import AquiferFoundation

/// A durable queue of requests. A queued request survives the loss of the network and the end of the process, and is
/// sent once and in order.
///
/// ```swift
/// let outbox = Outbox(in: store, attachments: folder, client: client)
/// try await outbox.enqueue(request, group: "clip/7")     // returns once it is on disk
/// await outbox.run()                                     // sends as long as the app runs
/// ```
///
/// - Durability: ``enqueue(_:key:group:label:)`` returns once the item is in the store. The item leaves the queue only
///   when the server has accepted it or someone discards it.
/// - Once: each item has a key, which is made when it is queued and sent as `Idempotency-Key` with each attempt. A
///   server that honours the key has each item once, even if processes are killed at any moment, and with any number of
///   processes on one queue. An item whose sender has died is taken over when its claim has ended (``SendPolicy/lease``), or at
///   once over a store that knows who lives (``CacheStore/presence``).
/// - Order: a group sends one item at a time, in the order in which its items were queued. An item that waits, is
///   paused or was refused holds back the later items of its group, and no other group.
/// - Retries: an item with 408, 425, 429, 5xx or no answer is tried again without a limit, at the intervals of the
///   ``SendPolicy``. An item that the server refuses with another status is set aside with the server's text, until
///   someone retries, edits or discards it.
/// - Foreign answers: an answer that is not the server's own (a redirect, a sign-in page of the network) is neither
///   success nor refusal. The item is tried again, and its host is held back once two items had such an answer.
///   Redirects are followed only if a request allows it.
/// - Connection: when a silent host answers again, and with ``connectionRestored()``, the items that waited for the host are tried at
///   once.
/// - Files: a file is sent from disk, never from memory. With a folder for attachments it is copied there first, so
///   that the original may be deleted. Without a folder, an item whose file is missing or was changed is refused when
///   its turn comes.
/// - Damage: an unreadable entry is set aside and reported, and the other items are sent.
///
/// Give the outbox its own store, in which nothing expires and nothing is evicted; use `durability: .power` for an
/// `SQLiteStore`. Do not put credentials into a queued request: an ``AuthenticatingClient`` adds them when it sends.
public actor Outbox {
    /// Judges an answer. `body` is the part of the body that arrived, up to 1 MiB.
    public typealias Judge = @Sendable (_ item: Item, _ head: HTTPResponseHead, _ body: Data) -> Verdict
    /// Receives the server's answer when the server accepted an item, before the item leaves the queue. After a crash
    /// in between it is called again, so that an app can save the answer in any case. The item leaves the queue even if
    /// the app fails to save the answer. It may queue and send other items. It is not called for a change of an ``EditableResource``, which has
    /// ``PendingChange/confirmation(_:)``.
    public typealias WhenSent = @Sendable (_ item: Item, _ answer: Answer) async -> Void

    let shelf: OutboxShelf
    let attachments: (any AttachmentKeeper)?
    let client: any HTTPClient
    let policy: SendPolicy
    let skipsRefused: Bool
    let judge: Judge
    let whenSent: WhenSent
    let events: (any AquiferEvents)?
    /// The identity of this outbox in its claims.
    let owner: UUID

    var index = OutboxIndex()
    /// The items that were queued here and are not in the index yet.
    var fresh: [UInt64] = []
    /// Numbers reserved by other processes, whose items were not in the store at the last read.
    var expected: Set<UInt64> = []
    /// Lets one item at a time reserve its number and enter the store: see `OutboxShelf.Counter.open`.
    private let turn = Turnstile()
    var (numbered, stems) = ([UInt64](), 0)
    /// The numbers of items of which nobody knew whether they were saved, each with the ``OutboxIndex/elapsed`` then.
    var doubtful: [UInt64: Duration] = [:]
    /// The groups whose turn may have come.
    var ready: [OutboxIndex.Group] = []
    var readyFrom = 0
    /// The items that are being sent from here, each with its transfer once that is under way.
    var sending: [UInt64: Task<Void, Never>?] = [:]
    /// The keys of items that are sent from here as soon as they are in the store. The number may belong to another
    /// item.
    var arriving: [UInt64: String] = [:]
    /// The failure of the store; it ends the drain that meets it.
    var storeFailure: StoreError?
    var hasAudited = false
    /// True from ``finish()`` to the next ``run()``.
    var isFinishing = false
    /// The release that ``retryAll()`` or ``connectionRestored()`` gave, for the items that are found new or changed before a look that
    /// began after it has ended. Other looks may be under way at the same time, and find some of these items first.
    var release: OutboxIndex.Release?
    /// The number of releases given.
    var releases = 0
    /// The known facts of the targets of each kind of changes, and the ``OutboxIndex/ends`` then.
    var knownFacts: [StoreKey: (at: UInt64, facts: [StoreKey: OutboxChange.Facts])] = [:]
    /// Forgets old facts; tests wait for it.
    var forgetting: Task<Void, Never>?
    /// True once the counter was compared with the files in the folder.
    var isMeasured = false
    /// The watched items and their ends, which the queue itself does not keep.
    nonisolated let watched = Locked([ID: (watchers: Int, end: State?)]())
    /// The latest items that were sent from here.
    nonisolated let ended = Locked([ID]())
    /// The number of sent bytes of each item that is being sent; clients write it on any thread.
    nonisolated let progress = Locked([UInt64: UInt64]())
    /// Rings when there may be something to send.
    nonisolated let work = Bell()
    /// Rings when any state changes.
    nonisolated let changes = Bell()
    /// The changes of the store that were told and are not read yet, while somebody follows the queue.
    nonisolated let told = Locked(Told())
    /// The same, for a queue that is sent: it is read when it is needed, see ``hearWhileSending()``.
    nonisolated let heard = Locked(Told())
    /// The claims and ends that wait for the next step of a store that has batches.
    var batching = Batching()
    /// Those who hear them.
    nonisolated let hearing = Locked(Hearing())
    /// The looks at single items that are under way, and what must be read again when they have ended.
    var (looks, overlooked) = (0, Told())
    /// Ends with the outbox: see ``follow(_:settle:apart:)``.
    nonisolated let following = Locked<Following?>(nil)
    /// The functions that send the changes of each ``EditableResource``, by its name.
    nonisolated let handlers = Locked([StoreKey: ChangeHandler]())
    /// Those who want to know the ids that servers give to targets of changes.
    nonisolated let namings = Locked([StoreKey: IDNote]())
    /// The same for resources that are not there, by their names.
    nonisolated let absent = Locked([(matches: @Sendable (String) -> Bool, handler: ChangeHandler)]())

    /// Creates an outbox over a store. Several outboxes, in several processes, may share a store and its folder.
    ///
    /// - Parameters:
    ///   - store: the store of the items, such as ``Scope/store``; no other queue may use it, and other data in it may not have the
    ///     key `counter`, or one that begins with `item:` or `target:`. Open what is behind it for data that cannot be loaded again.
    ///   - attachments: the outbox's own folder for copies of the queued files; `nil` to send the original files.
    ///     Copies of items that were sent or discarded are deleted; copies whose items the store has lost stay, and are
    ///     reported in ``notices``.
    ///   - client: the client that carries out the requests.
    ///   - policy: the number of items sent at once, the waits before further attempts, and the clocks.
    ///   - skipsRefused: true to send the later items of a group when one was refused. A refused item that is retried
    ///     then arrives after items that were queued later.
    ///   - owner: the identity of this outbox among others over the same store.
    ///   - events: told of each item that is queued, sent or refused, with the class of its group.
    ///   - judge: judges an answer. The default, ``Verdict/init(_:_:of:)``, does not know the app's contract. Pass a judge
    ///     that reads the server's answer, so that no portal's answer can pass for it.
    ///   - whenSent: called for each item that the server accepted.
    public init(
        in store: any CacheStore, attachments: URL? = nil, client: any HTTPClient, policy: SendPolicy = SendPolicy(),
        skipsRefused: Bool = false, owner: UUID = UUID(), events: (any AquiferEvents)? = nil,
        judge: @escaping Judge = { Verdict($1, $2, of: $0) }, whenSent: @escaping WhenSent = { _, _ in }
    ) {
        self.init(
            in: store, keeper: attachments.map { AttachmentFolder($0) }, client: client, policy: policy,
            skipsRefused: skipsRefused, owner: owner, events: events, judge: judge, whenSent: whenSent)
    }

    init(
        in store: any CacheStore, keeper: (any AttachmentKeeper)?, client: any HTTPClient, policy: SendPolicy,
        skipsRefused: Bool, owner: UUID, events: (any AquiferEvents)?, judge: @escaping Judge,
        whenSent: @escaping WhenSent
    ) {
        attachments = keeper
        shelf = OutboxShelf(store: store, attachments: keeper, now: policy.now)
        (self.client, self.policy) = (client, policy)
        index.elapsed = policy.stopwatch()
        self.skipsRefused = skipsRefused
        self.owner = owner
        self.judge = judge
        self.whenSent = whenSent
        self.events = events
    }

    /// The damage that this outbox has found since it was created, while it read the queue (``items()``, ``drain()``).
    /// Show it to the user, whose disk may be failing.
    public nonisolated var notices: [Notice] { shelf.told }

    /// Queues a request. Returns once it is on disk, with its idempotency key, and its files in the outbox's folder.
    ///
    /// - Parameters:
    ///   - request: the request. The item's key replaces its `Idempotency-Key`; its `onSent` is not kept.
    ///   - key: the idempotency key, if the request has one already; by default, a new one.
    ///   - group: the group in which it keeps its order; `nil` to wait for no other item.
    ///   - label: the app's name for it, for lists.
    /// - Throws: ``OutboxError``: `.store` when the request could not be saved (``StoreError/full(path:)`` when the
    ///   disk is full), `.attachment` when one of its files is missing, `.unsendable` when its URL is no web address, a
    ///   field has a line break, or `key` is empty or is not printable ASCII. Nothing is queued then. Only after
    ///   ``StoreError/uncertain(operation:reason:)`` it may be, and is sent: look at ``items()`` before you queue it again.
    @discardableResult
    public func enqueue(
        _ request: HTTPRequest, key: String? = nil, group: String? = nil, label: String = ""
    ) async throws(OutboxError) -> Item {
        let (number, record) = try await enqueue(request, key: key, group: group, label: label, change: nil)
        return Item(ID(number: number), record.head, .waiting)
    }

    func enqueue(
        _ request: HTTPRequest, key: String?, group: String?, label: String, change: OutboxChange?
    ) async throws(OutboxError) -> (UInt64, OutboxRecord) {
        let (number, record) = try await keep(
            request, key: key, group: group, label: label, isOurs: false, change: change)
        fresh.append(number)
        work.ring()
        changes.ring()
        return (number, record)
    }

    /// Saves a request in the store under a new number, and its files in the folder.
    ///
    /// - Parameter isOurs: true if this outbox claims the item from the start, so that no other outbox sends it.
    func keep(
        _ request: HTTPRequest, key: String?, group: String?, label: String, isOurs: Bool, change: OutboxChange? = nil
    ) async throws(OutboxError) -> (UInt64, OutboxRecord) {
        try Self.check(request)
        let key = key ?? policy.makeKey()
        guard key.canBeSentBack else {
            throw .unsendable("an idempotency key is printable ASCII, and at least one character of it")
        }
        var head = OutboxRecord.Head(
            group: group, label: label, key: key, queuedAt: policy.now(),
            method: request.method.rawValue, url: request.url, length: request.body?.length ?? 0)
        head.change = change
        if isOurs {
            head.lease = .init(owner: owner, span: Span(since: policy.now(), policy.lease), holder: presence?.name)
        }
        var (message, hold) = try await message(of: request)
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        let number: UInt64
        do throws(StoreError) {
            try await measure()
            number = try await insert(head, &message, &hold)
        } catch {
            await attachments?.remove(hold?.names ?? [])
            throw .store(error)
        }
        if events != nil { tellQueued(head) }
        withExtendedLifetime(hold) {}  // the copies are the item's from here on: no sweep takes them away
        return (number, OutboxRecord(head: head, message: message))
    }

    /// Saves an item under the next free number. An item that is claimed from the start then counts as being sent from
    /// here.
    private func insert(
        _ head: OutboxRecord.Head, _ message: inout OutboxRecord.Message, _ hold: inout AttachmentHold?
    ) async throws(StoreError) -> UInt64 {
        while true {
            let number = try await takeNumber()
            if head.lease != nil { arriving[number] = head.key }
            defer { arriving[number] = nil }
            try await assign(&hold, &message, to: number)
            if try await isSaved(OutboxRecord(head: head, message: message), number, &hold) {
                try await confirm(hold, number)
                if head.lease != nil { sending[number] = .some(nil) }
                return number
            }
            // A counter that was set back has given out this number before. The existing item stays.
            shelf.note(.numberOccupied(ID(number: number)))
            _ = try await shelf.lift(above: try await shelf.listing().versions.keys.max() ?? number)
        }
    }
}
