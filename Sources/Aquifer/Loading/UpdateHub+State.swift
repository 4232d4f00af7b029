import AquiferFoundation

/// A value behind a reference.
final class Boxed<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension UpdateHub {
    /// A follower. Its parts are guarded by the hub's lock.
    final class Subscriber: @unchecked Sendable {
        /// The number of the last state that it was told.
        var told: UInt64 = 0
        /// True if it asks for a value that was made invalid.
        let asks: Bool
        /// The number of the last invalidation that it was told.
        var toldMark: UInt64 = 0
        /// Set while it waits.
        var waiting: CheckedContinuation<Void, Never>?

        init(asks: Bool) { self.asks = asks }
    }

    /// The news for a follower.
    enum News: Sendable {
        /// The state.
        case state(Boxed<Update<Value>>)
        /// The value was made invalid since it began to follow.
        case invalid(mark: Date)
    }

    /// The changes of the store that were told while a load saves its answer.
    enum SaveChanges: Sendable {
        case none
        /// One: that of the load itself, if it has changed the entry.
        case own
        /// Changes of others, too.
        case others

        mutating func note() { self = self == .none ? .own : .others }
    }

    /// Values of ``Value`` are in boxes: a thousand followers then pass a reference on, and no code has to ask for the size of a value.
    struct State {
        /// In the order in which they came.
        var subscribers: [Subscriber] = []
        /// Counts the times that the last follower left: a look that began before tells nothing.
        var epoch: UInt64 = 0
        var observation: StoreObservation?
        /// The state, if ``isKnown``.
        var current: Loaded<Value>? {
            get { shown?.value }
            set { (shown, telling, savedAt) = (newValue.map(Boxed.init), nil, newValue?.savedAt) }
        }
        /// The date of the state, which is compared for each follower.
        private(set) var savedAt: Date?
        private var shown: Boxed<Loaded<Value>>?
        /// The state of this number as all followers are told it.
        private var telling: (number: UInt64, update: Boxed<Update<Value>>)?
        var cause = UpdateCause.found
        var age: Duration?
        var isKnown = false
        /// The states that no listener has been told yet.
        var untold: [(UpdateCause, Duration?)] = []
        /// Counts the states.
        var number: UInt64 = 0
        /// The number of states and marks of which those who waited were woken.
        var woken: UInt64 = 0
        /// The entry that was last found in the store, if ``hasLooked``.
        var fingerprint: EntryFingerprint?
        var hasLooked = false
        /// The time when the state was asked for, if it is not what the fingerprint tells of: it was not saved.
        var unsavedAskedAt: Date?
        /// The mark of the entry that was last found, and the number of marks after the first look.
        var mark: Date?
        var marks: UInt64 = 0
        /// True if the remote denied the value, until another one is found in the store.
        var isHidden = false
        /// The time of a denial before somebody followed.
        var hiddenSince: Date?
        /// The entry may have changed since the last look.
        var mustLook = true
        var isLooking = false
        /// A load has told a state since the look began.
        var isOutdated = false
        /// The number of loads that are saving their answer. Nobody looks meanwhile: the load tells the state itself.
        var saves = 0
        var changesDuringSave = SaveChanges.none
        var timer: (date: Date, alarm: StoreObservation)?
        /// The layer over each state; `nil` if nothing is.
        var overlay: Overlay<Value>?
        var overlayObservation: StoreObservation?
        /// The state of this number with the overlay, for all followers.
        var laid: (number: UInt64, loaded: Boxed<Loaded<Value>?>)?
        /// The error of the last load, if it had neither an answer nor a copy.
        var failure: LoadError?
        /// True once the scope has ended: nothing is laid over nothing then.
        var hasEnded = false
        /// The number of the last state that was not made by the overlay alone.
        var baseNumber: UInt64 = 0

        var canLook: Bool { mustLook && !isLooking && saves == 0 }

        func hasNews(for subscriber: Subscriber) -> Bool {
            isKnown && number > subscriber.told || isInvalid(for: subscriber)
        }

        func isInvalid(for subscriber: Subscriber) -> Bool { subscriber.asks && marks > subscriber.toldMark }

        /// True if this is not what was denied: another value than that of the look before, or one that was saved after the denial.
        func hasAnother(_ found: EntryFingerprint.Beginning?) -> Bool {
            if hasLooked { return found != fingerprint?.beginning }
            guard let found, let hiddenSince else { return false }
            return found.savedAt > hiddenSince
        }

        /// True if what is shown could not be saved, and nobody has changed the beginning of what is saved since.
        func keepsUnsaved(over found: EntryFingerprint?) -> Bool {
            hasLooked && current != nil && unsavedAskedAt != nil && found?.beginning == fingerprint?.beginning
        }

        /// Notes the mark of the entry that was found.
        mutating func note(mark found: Date?) {
            // Who begins to follow loads anyway.
            if hasLooked, found != nil, found != mark { marks += 1 }
            mark = found
        }

        /// The state as followers are told it, without what is laid over it.
        mutating func update() -> Boxed<Update<Value>> {
            if let telling, telling.number == number { return telling.update }
            let update = Boxed(Update(loaded: current, cause: cause, age: age))
            telling = (number, update)
            return update
        }

        /// Takes those who have news.
        mutating func wake() -> [CheckedContinuation<Void, Never>] {
            // Nobody begins to wait while there is news: it can only be that of a state since the last call.
            guard isKnown || marks > 0, number + marks > woken else { return [] }
            woken = number + marks
            var ready: [CheckedContinuation<Void, Never>] = []
            for subscriber in subscribers where hasNews(for: subscriber) {
                if let waiting = subscriber.waiting.take() { ready.append(waiting) }
            }
            return ready
        }

        /// Begins a look for those who wait, if the entry must be looked at; `nil` if not. The caller looks.
        mutating func beginLook() -> UInt64? {
            guard canLook, subscribers.contains(where: { $0.waiting != nil }) else { return nil }
            return takeLook()
        }

        /// Begins a look, if the entry must be looked at; `nil` if not. The caller looks.
        mutating func takeLook() -> UInt64? {
            guard canLook else { return nil }
            mustLook = false
            isLooking = true
            return epoch
        }

        /// There is nothing to show, and nothing to wait for.
        mutating func end(at now: Date) {
            timer?.alarm.cancel()
            timer = nil
            // Something may have been laid over nothing.
            let isNew = overlay != nil && !hasEnded
            hasEnded = true
            show(nil, nil, .deleted, at: now, isNew: isNew)
        }

        /// Makes this the state, if it differs.
        ///
        /// - Parameters:
        ///   - isNew: true if it differs although all that is known of it may be the same.
        ///   - askedAt: the time of the request for a value that is not the saved one.
        mutating func show(
            _ loaded: Loaded<Value>?, _ fingerprint: EntryFingerprint?, _ cause: UpdateCause, at now: Date,
            isNew: Bool = false, askedAt: Date? = nil
        ) {
            let isNew = isNew || askedAt != nil
            let isSame =
                !isNew && isKnown && (loaded == nil) == (current == nil)
                && (loaded == nil || fingerprint == self.fingerprint)
                && loaded?.source == current?.source && loaded?.savedAt == current?.savedAt
                && loaded?.saveError == current?.saveError
            self.fingerprint = fingerprint
            isKnown = true
            guard !isSame else { return }
            current = loaded
            unsavedAskedAt = askedAt
            self.cause = cause
            age = loaded?.savedAt.map { .milliseconds($0.milliseconds(to: now)) }
            number += 1
            baseNumber = number
            untold.append((cause, age))
        }
    }
}
