import AquiferConcurrency

/// A change of a store.
///
/// It says where to look again, not what is there now.
public enum StoreChange: Sendable, Hashable {
    /// The entry under this key was written or deleted.
    case entry(String)
    /// All entries whose keys begin so were written or deleted.
    case prefix(String)
    /// Anything may have changed.
    case everything

    /// True if the entry under `key` may have changed. Keys are compared byte by byte.
    public func concerns(_ key: String) -> Bool {
        switch self {
        case .entry(let changed): changed.utf8.elementsEqual(key.utf8)
        case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
        case .everything: true
        }
    }

    /// Two changes are equal if their texts have the same bytes, as two keys are.
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.entry(let a), .entry(let b)), (.prefix(let a), .prefix(let b)): a.utf8.elementsEqual(b.utf8)
        case (.everything, .everything): true
        default: false
        }
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .entry(let key): hasher.combine(StoreKey(key))
        case .prefix(let prefix): hasher.combine(StoreKey(prefix))
        case .everything: break
        }
    }
}

/// The changes of one store, as they happen. A store has one, and posts to it after each change is acknowledged.
///
/// - An observer is told before the changing call returns, on the thread of that call, outside of all locks. It must be
///   quick. It may use the store, in a task of its own.
/// - Observers are told one after another, in the order in which they came.
/// - A change may be told twice, and never zero times. An observer that looks after it has begun misses nothing.
/// - Changes of several callers may be told in another order than they happened in: look at what is there now.
///
/// ```swift
/// let observation = store.changes.observe { change in
///     if change.concerns("contacts") { print("the contacts have changed") }
/// }
/// ```
public final class StoreChanges: Sendable {
    private struct State {
        /// In the order in which they came.
        var observers: [(number: UInt64, onChange: @Sendable (StoreChange) -> Void)] = []
        var lastNumber: UInt64 = 0
        /// The watch for changes from elsewhere, which lasts as long as there are observers.
        var watch: StoreObservation?

        /// The place of an observer that has not ended.
        func place(of number: UInt64) -> Int? {
            var (low, high) = (0, observers.count)
            while low < high {
                let middle = (low + high) / 2
                if observers[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < observers.count && observers[low].number == number ? low : nil
        }
    }

    private let state = Locked(State())
    /// True for the changes of a scope's store. When ``StoreChange/everything`` has changed, the scope may have ended.
    package let mayEnd: Bool
    private let beginWatch: (@Sendable (StoreChanges) -> StoreObservation)?
    /// Held while the first observer begins the watch: the second must not believe that it has begun already.
    private let beginning = Lock()

    /// The changes of a store that makes all of them itself.
    public convenience init() { self.init(mayEnd: false) }

    /// The changes of a store that passes those of another one on.
    ///
    /// - Parameter mayEnd: that of the other one.
    package init(mayEnd: Bool) {
        beginWatch = nil
        self.mayEnd = mayEnd
    }

    /// The changes of a store whose place others change, too.
    ///
    /// - Parameter watch: begins to post the changes of others. It is called when the first observer comes; its
    ///   observation is cancelled when the last one has gone. It must not observe these changes itself.
    public init(whileObserved watch: @escaping @Sendable (StoreChanges) -> StoreObservation) {
        beginWatch = watch
        mayEnd = false
    }

    /// The changes of a scope's store.
    package init(ofScope watch: @escaping @Sendable (StoreChanges) -> StoreObservation) {
        beginWatch = watch
        mayEnd = true
    }

    /// Tells all observers. For stores: call it after a change is committed and before the call that made it returns,
    /// and hold no lock.
    public func post(_ change: StoreChange) {
        let observers = state.withLock { $0.observers }
        for (number, onChange) in observers where state.withLock({ $0.place(of: number) != nil }) {
            onChange(change)
        }
    }

    /// Calls `onChange` for each change from now on, until the observation is cancelled or released.
    ///
    /// A call that another thread has begun may still be running when the observation ends.
    public func observe(_ onChange: @escaping @Sendable (StoreChange) -> Void) -> StoreObservation {
        let number = beginning.withLock {
            let (number, isFirst) = state.withLock { state in
                state.lastNumber += 1
                state.observers.append((state.lastNumber, onChange))
                return (state.lastNumber, state.observers.count == 1)
            }
            if isFirst, let watch = beginWatch?(self) { state.withLock { $0.watch = watch } }
            return number
        }
        return StoreObservation { self.end(number) }
    }

    private func end(_ number: UInt64) {
        // The observer is released outside of the locks.
        let ended = beginning.withLock {
            state.withLock { state in
                let observer = state.place(of: number).map { state.observers.remove(at: $0) }
                return (observer, state.observers.isEmpty ? state.watch.take() : nil)
            }
        }
        ended.1?.cancel()
    }
}
