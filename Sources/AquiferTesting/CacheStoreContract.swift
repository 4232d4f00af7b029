import Aquifer
import Foundation

/// The promises of every `CacheStore`, as checks that run over any store. For whoever writes one:
///
/// ```swift
/// let subject = CacheStoreContract.Subject(make: { try MyStore(at: freshPlace()) })
///
/// @Test(arguments: CacheStoreContract.checks(for: subject))
/// func keepsTheContract(check: CacheStoreContract.Check) async throws {
///     try await check.run(subject)
/// }
/// ```
///
/// A check that fails throws a ``ContractViolation``, or the `StoreError` that should not have been. No check
/// sleeps or measures time; each makes stores of its own, so that they can run side by side. A check that a subject does
/// not allow never passes: ``passedOver(for:)`` names it.
public enum CacheStoreContract {
    /// The store to check, as ways to make one.
    public struct Subject: Sendable {
        /// Makes an empty store in a place of its own.
        public var make: @Sendable () async throws -> any CacheStore
        /// Opens another instance on the place of the given one, while that one is in use.
        public var reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)?
        /// Makes a store that holds these entries and in which every write fails.
        public var makeFailing: (@Sendable ([String: StoredEntry]) async throws -> any CacheStore)?
        /// Damages the entry under a key where it is kept, behind the store's back.
        public var corrupt: (@Sendable (_ key: String, _ store: any CacheStore) async throws -> Void)?

        /// Other ways to damage the entry under a key behind the store's back, so that not only its bytes are wrong:
        /// its header, its key, an index that leads to it.
        public var damages: [Damage]

        /// True for a store that many machines use at once, such as a database server. It orders the calls of each key
        /// only, and may repeat a decision; see `CacheStore`. The checks that need more are passed over.
        public var isShared: Bool

        /// True if the stores are `TransactionalStore`s.
        public var isTransactional: Bool

        /// True if the stores are `DurableStore`s.
        public var isDurable: Bool

        /// A way to damage an entry.
        public struct Damage: Sendable {
            /// The damaged part, for messages: `the header`.
            public var name: String
            /// Damages the entry under a key of a store.
            public var run: @Sendable (_ key: String, _ store: any CacheStore) async throws -> Void

            /// A way to damage an entry.
            public init(
                _ name: String, _ run: @escaping @Sendable (_ key: String, _ store: any CacheStore) async throws -> Void
            ) {
                self.name = name
                self.run = run
            }
        }

        /// A subject. Leave out what cannot be done to your store: the checks that need it are then passed over,
        /// and ``CacheStoreContract/passedOver(for:)`` names them.
        public init(
            make: @escaping @Sendable () async throws -> any CacheStore,
            reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)? = nil,
            makeFailing: (@Sendable ([String: StoredEntry]) async throws -> any CacheStore)? = nil,
            corrupt: (@Sendable (_ key: String, _ store: any CacheStore) async throws -> Void)? = nil,
            damages: [Damage] = [],
            isShared: Bool = false, isTransactional: Bool = false, isDurable: Bool = false
        ) {
            self.make = make
            self.reopen = reopen
            self.makeFailing = makeFailing
            self.corrupt = corrupt
            self.damages = damages
            self.isShared = isShared
            self.isTransactional = isTransactional || isDurable
            self.isDurable = isDurable
        }
    }

    /// One promise, and how it is checked.
    public struct Check: Sendable, CustomStringConvertible {
        /// A function of ``Subject`` that not every store allows.
        public enum Requirement: String, Sendable, Hashable, CaseIterable {
            /// ``Subject/reopen``.
            case reopen
            /// ``Subject/makeFailing``.
            case makeFailing
            /// ``Subject/corrupt``.
            case corrupt
            /// ``Subject/damages``: at least one.
            case damages
            /// The store is embedded, and not ``Subject/isShared``.
            case embedded
            /// ``Subject/isTransactional``.
            case transactions
            /// The same, and ``Subject/corrupt``.
            case damagedTransactions
            /// ``Subject/isDurable``.
            case durability
        }

        /// The promise, as a sentence.
        public let name: String
        /// The function that the check needs beside ``Subject/make``; `nil` if it needs none.
        public let requirement: Requirement?
        let body: @Sendable (Promise, Subject) async throws -> Void

        init(
            _ name: String, needs requirement: Requirement? = nil,
            _ body: @escaping @Sendable (Promise, Subject) async throws -> Void
        ) {
            self.name = name
            self.requirement = requirement
            self.body = body
        }

        /// The promise.
        public var description: String { name }

        /// True if the subject says all that this check needs.
        public func applies(to subject: Subject) -> Bool {
            switch requirement {
            case nil: true
            case .reopen: subject.reopen != nil
            case .makeFailing: subject.makeFailing != nil
            case .corrupt: subject.corrupt != nil
            case .damages: !subject.damages.isEmpty
            case .embedded: !subject.isShared
            case .transactions: subject.isTransactional
            case .durability: subject.isDurable
            case .damagedTransactions: subject.isTransactional && subject.corrupt != nil
            }
        }

        /// Runs the check.
        ///
        /// - Throws: ``ContractViolation`` if the promise is not kept, or what the store threw; also if the subject does
        ///   not have what the check needs, because then nothing was checked.
        public func run(_ subject: Subject) async throws {
            guard applies(to: subject) else {
                let missing = requirement?.rawValue ?? ""
                throw ContractViolation(
                    name, "was not checked, because the subject has no `\(missing)`; use checks(for:)")
            }
            try await body(Promise(name), subject)
        }
    }

    /// Every promise.
    public static let checks: [Check] =
        retrieveChecks + insertChecks + deleteChecks + updateChecks + entriesChecks + keyChecks + orderChecks
        + damageChecks + damagedHeaderChecks + changeChecks + prefixChecks + pageChecks

    /// Every promise of a `TransactionalStore` beside those of every store.
    public static var transactions: [Check] { transactionChecks }

    /// Those of them that can be checked on this subject.
    public static func transactions(for subject: Subject) -> [Check] { transactions.filter { $0.applies(to: subject) } }

    /// The promises that can be checked on this subject. Give these to a test, so that no check passes for want of looking.
    public static func checks(for subject: Subject) -> [Check] { checks.filter { $0.applies(to: subject) } }

    /// The promises that cannot be checked on this subject, because it does not have the function that they need. Say in a
    /// test which ones these are, so that they are not taken for kept:
    ///
    /// ```swift
    /// #expect(Set(CacheStoreContract.passedOver(for: subject).map(\.requirement)) == [.makeFailing])
    /// ```
    public static func passedOver(for subject: Subject) -> [Check] { checks.filter { !$0.applies(to: subject) } }
}

/// Compares what a store did with what was promised.
struct Promise: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    func holds(_ condition: Bool, _ detail: @autoclosure () -> String) throws {
        if !condition { throw ContractViolation(text, detail()) }
    }

    func same(_ found: StoredEntry?, _ expected: StoredEntry?, _ moment: String = "") throws {
        guard found != expected || found?.savedAtBits != expected?.savedAtBits else { return }
        throw ContractViolation(text, "\(moment) found \(found.brief), expected \(expected.brief)")
    }

    /// The error that `operation` throws; a violation if it throws none.
    func fails(
        _ moment: String, _ operation: () async throws(StoreError) -> Void
    ) async throws -> StoreError {
        do throws(StoreError) {
            try await operation()
        } catch {
            return error
        }
        throw ContractViolation(text, "\(moment) did not fail")
    }
}

extension StoredEntry {
    /// An entry for tests: `size` bytes that follow from `number`, saved at an instant that does too.
    static func sample(_ number: Int = 1, size: Int = 100, kind: Kind = .value) -> StoredEntry {
        var state = UInt64(number) &+ 0x9E37_79B9_7F4A_7C15
        let bytes = (0..<size).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return StoredEntry(
            bytes: Data(bytes), savedAt: Date(timeIntervalSinceReferenceDate: 700_000_000.125 + Double(number)),
            validators: Validators(etag: "\"\(number)\""), kind: kind)
    }

    fileprivate var savedAtBits: UInt64 { savedAt.timeIntervalSinceReferenceDate.bitPattern }
}

extension StoredEntry? {
    fileprivate var brief: String {
        guard let self else { return "nothing" }
        let origin =
            self.origin.map { "sent \($0.sentAt), answered \($0.answeredAt.map { "\($0)" } ?? "?")" } ?? "no origin"
        return "\(self.bytes.count) bytes (\(self.bytes.prefix(4).map { String($0) }.joined(separator: " "))…) "
            + "of \(self.savedAt.timeIntervalSinceReferenceDate), \(self.validators), \(self.kind), \(origin), "
            + "\(self.asking)"
    }
}
