import AquiferConcurrency
import AquiferFoundation

/// A resource that its user can change, with or without a connection: what the server said, plus what this user has changed and
/// the server has not confirmed.
///
/// ```swift
/// let notes = EditableResource(resource, changes: NoteChange.self, empty: [], outbox: outbox)
/// try await notes.change(.rename(id, title: "Milk"))   // shown at once, kept on disk, sent in order
/// for await loaded in notes.updates { … }              // the value with the change in it; `pending` marks it
/// ```
///
/// - Shown: a change is in every state of the resource's ``Resource/updates`` when ``change(_:over:label:key:)`` returns, in each process
///   that follows, offline and after a restart, too. Without a fresh copy it is shown over `empty`, as ``LoadSource/pendingOnly(because:)``.
///   Changes never expire.
/// - Replayed: changes are applied anew, in their order, to each value that is loaded. Changes of others stay visible.
/// - Sent: by the outbox, in the order of each ``PendingChange/group``, under one key each.
/// - Confirmed: when the server has accepted a change, it stays over the value until a load shows it: one for which
///   ``PendingChange/isShown(in:)`` is true; or, if that tells nothing, one that began after the answer. An older answer that arrives late
///   does not hide it. A confirmed change whose `isShown` stays false counts as shown by the loads that begin a minute later.
/// - Refused: it stays in the value and in ``Loaded/pending``, with the server's words, until somebody retries, edits or discards it.
/// - Ids: when the server has given the target an id of its own, all that waits speaks of that one. ``identity(of:)`` is the same before
///   and after, for the rows of a screen.
///
/// Create it once for a resource, with the outbox, when the app starts: items of its changes are not sent before. Both must have the
/// same wall clock.
public final class EditableResource<Change: PendingChange>: Sendable {
    /// The value.
    public typealias Value = Change.Value

    /// The value without the changes.
    public let resource: Resource<Value>
    /// The queue of the changes.
    public let outbox: Outbox
    let queue: ChangeQueue<Change>

    /// A resource with the changes that wait in an outbox.
    ///
    /// - Parameters:
    ///   - resource: what the server says.
    ///   - changes: the type of the changes.
    ///   - empty: the value over which changes are shown when there is no fresh copy.
    ///   - outbox: the queue. Its store survives what an acknowledged change is to survive.
    ///   - name: names the changes of this resource in the outbox, in every version of the app; by default, the key of the
    ///     resource's cache.
    public init(
        _ resource: Resource<Value>, changes: Change.Type = Change.self, empty: Value, outbox: Outbox,
        name: String? = nil
    ) {
        self.resource = resource
        self.outbox = outbox
        queue = ChangeQueue(name: name ?? resource.cache.key, cache: resource.cache, empty: empty, outbox: outbox)
        outbox.register(ChangeHandler(Change.self), for: queue.name) { [weak queue] in queue?.noteID($1, of: $0) }
        resource.attach(queue.overlay)
    }

    // MARK: Reading

    /// The value over time, with the changes. See ``Resource/updates``.
    public var updates: ResourceUpdates<Value> { resource.updates }

    /// Loads the latest value, and lays the changes over it. See ``Resource/load()``.
    ///
    /// Without an answer and without a copy it delivers the changes alone (``LoadSource/pendingOnly(because:)``) if there are any.
    ///
    /// If the changes cannot be read, ``Loaded/pendingError`` says so beside the value.
    ///
    /// - Throws: the errors of ``Resource/load()``, unless the changes are delivered alone; `.store` if there is no value and the changes
    ///   cannot be read. If the server denies the value or does not have it, its error is thrown whatever waits.
    public func load() async throws(LoadError) -> Loaded<Value> {
        try await queue.load { () async throws(LoadError) in try await self.resource.load() }
    }

    /// Loads the latest value as ``Resource/reload()`` does, and lays the changes over it.
    ///
    /// - Throws: the errors of ``load()``.
    public func reload() async throws(LoadError) -> Loaded<Value> {
        try await queue.load { () async throws(LoadError) in try await self.resource.reload() }
    }

    /// The saved fresh copy with the changes; `nil` if there is neither.
    ///
    /// - Throws: ``StoreError`` when there is a copy and it cannot be read, or the changes cannot be read.
    public func saved() async throws(StoreError) -> Loaded<Value>? {
        let saved = try await resource.saved()
        return try await queue.saved(saved)
    }

    /// The changes that the server has not confirmed, in their order, with what a list shows of them.
    ///
    /// - Throws: ``StoreError`` when the queue cannot be read.
    public func pendingChanges() async throws(StoreError) -> [(item: PendingItem, change: Change)] {
        try await queue.read(anew: true)
        return queue.pending()
    }

    /// An id that stays the same for a row that was made here: the id that the app drew for it, also when the server's own id has
    /// come. Any other id is its own.
    public func identity(of id: String) -> String { queue.identity(of: id) }

    /// The server's id for an id that the app drew; the id itself if the server has given no other.
    ///
    /// It is known from the moment at which ``outbox`` has saved the answer to the creation, and so when ``Outbox/drain()`` returns. An
    /// id that another process was given is known after the next load or change, and at once while somebody follows.
    public func serverID(of id: String) -> String { queue.latestServerID(of: id) }

    // MARK: Changing

    /// Makes a change. Returns when it is on disk, and shown.
    ///
    /// If the change before it in its group was never tried, and was made over the same version, the two may become one
    /// (``PendingChange/coalesced(with:)``).
    ///
    /// - Parameters:
    ///   - change: the change. It may use an id that the app drew, before and after the server has given its own.
    ///   - seen: the state of this resource that the user looked at, such as the one with which a form was opened; by default, the
    ///     latest. If somebody else has changed the target since, the server can refuse the change with 412, although a load has
    ///     brought the newer version meanwhile. This user's own changes count as seen. It comes from this resource or from
    ///     ``ResourceModel/loaded``: one made by hand is refused as `.unsendable`.
    ///   - label: the app's name for it, for lists.
    ///   - key: the idempotency key; by default, a new one. A change with a key is not coalesced.
    /// - Returns: the item that waits; `nil` if the change and an earlier one have cancelled each other out.
    /// - Throws: the errors of ``Outbox/enqueue(_:key:group:label:)``; `.unsendable`, too, if the change cannot be encoded, or
    ///   ``PendingChange/request(version:)`` throws. Nothing was changed then.
    @discardableResult
    public func change(
        _ change: Change, over seen: Loaded<Value>? = nil, label: String = "", key: String? = nil
    ) async throws(OutboxError) -> Outbox.Item? {
        try await queue.add(change, over: seen, label: label, key: key)
    }

    /// Replaces a change that was never tried, or was refused. It keeps its place, and has a new key.
    ///
    /// - Throws: ``OutboxError/notNow(_:reason:)`` if the server may have it: make another change instead, which is sent after it. Also
    ///   the errors of ``change(_:over:label:key:)``. The item is unchanged then.
    public func edit(_ id: Outbox.ID, to change: Change, label: String? = nil) async throws(OutboxError) {
        try await queue.edit(id, to: change, label: label)
    }

    /// Takes back a change that was never tried, or was refused. The value no longer shows it. The changes behind it stay, and are sent.
    ///
    /// The changes of something whose creation is taken back are taken back with it, and so are those of its group that name its id, such as
    /// an item of a new list (``PendingChange/replacingIDs(_:)``): they could never succeed.
    ///
    /// A refused change may be on the server all the same, if an attempt before the refusal had no answer: a load shows it then, and a new
    /// change undoes it.
    ///
    /// - Returns: information on whether the server may have it, or what went with it, all the same
    ///   (``Outbox/Discarded/mayHaveArrived``); and the changes that were taken back with it, for what is no creation, none
    ///   (``Outbox/Discarded/builtOn``).
    /// - Throws: ``OutboxError/notNow(_:reason:)`` if it, or a change that was built on it, was tried and has no answer yet: make a change
    ///   that undoes it instead. The creation is unchanged then.
    @discardableResult
    public func discard(_ id: Outbox.ID) async throws(OutboxError) -> Outbox.Discarded {
        try await queue.discard(id)
    }

    /// Sends a refused change once more, with its key.
    ///
    /// - Throws: the errors of ``Outbox/retry(_:)``.
    public func retry(_ id: Outbox.ID) async throws(OutboxError) {
        try await outbox.retry(id)
        await queue.readKnown()
    }

    // MARK: Conflicts

    /// The three versions of what a refused change concerns. Loads the latest value to know the server's.
    ///
    /// - Returns: the conflict; `nil` if there is no such change, or its ``PendingChange/part(of:)`` tells nothing of any version.
    /// - Throws: the error of the load: without the server's version there is nothing to choose from.
    public func conflict(of id: Outbox.ID) async throws(LoadError) -> ChangeConflict<Change.Part>? {
        await queue.conflict(of: id, with: try await latest())
    }

    /// Keeps the user's version: queues the refused change once more, or another one in its place, over the version that the server
    /// has now.
    ///
    /// - Parameters:
    ///   - id: the refused change.
    ///   - merged: the change to send in its place, such as one that has the best of both; `nil` to send it as it is.
    /// - Throws: `.notNow` if it was not refused, or the latest value could not be loaded, or somebody has edited or retried the change
    ///   meanwhile. The item is unchanged then.
    public func keepMine(_ id: Outbox.ID, merged: Change? = nil) async throws(OutboxError) {
        guard let refused = await queue.refused(id) else { throw .notNow(id, reason: "was not refused") }
        let latest: Value
        do throws(LoadError) { latest = try await self.latest() } catch {
            throw .notNow(id, reason: "needs the server's latest version, and that could not be loaded: \(error)")
        }
        try await queue.keep(refused, as: merged, over: latest)
    }

    /// The server's latest value, without the changes. A saved copy that stands in for it is none.
    private func latest() async throws(LoadError) -> Value {
        let loaded = try await reload()
        switch loaded.source {
        case .cache(_, because: let error?), .pendingOnly(because: let error?): throw error
        case .remote, .cache, .pendingOnly: return loaded.seen?.base ?? queue.empty
        }
    }
}
