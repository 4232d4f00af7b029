import Aquifer
import Foundation

/// The promises of all `LoadLeases`, as checks. For whoever writes some:
///
/// ```swift
/// @Test(arguments: LoadLeasesContract.checks(for: subject))
/// func keepsTheContract(check: LoadLeasesContract.Check) async throws { try await check.run(subject) }
/// ```
///
/// A check that fails throws a ``ContractViolation``, or the `StoreError` that should not have been. No check sleeps.
public enum LoadLeasesContract {
    /// The leases to check.
    public struct Subject: Sendable {
        /// Makes two machines at an empty place of their own.
        public var make: @Sendable () async throws -> [any LoadLeases]
        /// Lets the time of all leases pass, by the place's clock.
        public var expire: @Sendable (any LoadLeases) async throws -> Void
        /// Ends a machine, as the loss of its power does; returns when the place knows. `nil` if it never learns of that.
        public var kill: (@Sendable (any LoadLeases) async throws -> Void)?

        /// A subject. Leave out what cannot be done to your leases.
        public init(
            make: @escaping @Sendable () async throws -> [any LoadLeases],
            expire: @escaping @Sendable (any LoadLeases) async throws -> Void,
            kill: (@Sendable (any LoadLeases) async throws -> Void)? = nil
        ) {
            self.make = make
            self.expire = expire
            self.kill = kill
        }
    }

    /// One promise, and how it is checked.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let name: String
        /// True if it needs ``Subject/kill``.
        let kills: Bool
        private let body: @Sendable (Promise, Subject, any LoadLeases, any LoadLeases) async throws -> Void

        init(
            _ name: String, kills: Bool = false,
            _ body: @escaping @Sendable (Promise, Subject, any LoadLeases, any LoadLeases) async throws -> Void
        ) {
            (self.name, self.kills, self.body) = (name, kills, body)
        }

        /// The promise.
        public var description: String { name }

        /// Runs the check.
        ///
        /// - Throws: ``ContractViolation`` if the promise is not kept, or what the leases threw.
        public func run(_ subject: Subject) async throws {
            let machines = try await subject.make()
            guard machines.count == 2 else { throw ContractViolation(name, "needs two machines") }
            try await body(Promise(name), subject, machines[0], machines[1])
        }
    }

    /// The promises that can be checked on this subject.
    public static func checks(for subject: Subject) -> [Check] { checks.filter { !$0.kills || subject.kill != nil } }

    /// Every promise.
    public static let checks: [Check] = takingChecks + endingChecks + losingChecks

    static let span = Duration.seconds(600)
}

extension LoadLeasesContract {
    private static let takingChecks = [
        Check("one of many callers on two machines gets the lease, and the others learn its number") {
            promise, _, one, two in
            let answers = try await withThrowingTaskGroup(of: LeaseAnswer.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await (number % 2 == 0 ? one : two).take("key", for: span, unlessSavedSince: nil)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let granted = answers.compactMap { if case .granted(let number) = $0 { number } else { nil } }
            try promise.holds(granted.count == 1, "\(granted.count) callers got it")
            let held = answers.filter { $0 == .held(granted[0]) }
            try promise.holds(held.count == 19, "the others learned \(answers)")
        },
        Check("leases of different keys do not know each other, and keys are compared byte by byte") {
            promise, _, one, two in
            for key in ["a", "ab", "\u{E9}", "e\u{301}", String(repeating: "k", count: 5_000), "user/4/a\u{0}"] {
                _ = try await promise.granted(one, key)
                guard case .held = try await two.take(key, for: span, unlessSavedSince: nil) else {
                    throw ContractViolation(promise.text, "\(key) was not held")
                }
            }
        },
        Check("a later lease has a greater number, on every machine") { promise, _, one, two in
            var last: UInt64 = 0
            for machine in [one, two, two, one] {
                let number = try await promise.granted(machine)
                try promise.holds(number > last, "\(number) came after \(last)")
                try await machine.end("key", number, isSaved: false)
                last = number
            }
        },
    ]

    private static let endingChecks = [
        Check("an ended lease is free at once, and its end is told on both machines") { promise, _, one, two in
            let number = try await promise.granted(one)
            let told = AsyncStream<StoreChange>.makeStream()
            let observations = [one, two].map { $0.ends.observe { told.continuation.yield($0) } }
            try await one.end("key", number, isSaved: false)
            var changes = told.stream.makeAsyncIterator()
            for _ in 0..<2 {
                let change = await changes.next()
                try promise.holds(change?.concerns("key") == true, "told was \(String(describing: change))")
            }
            for observation in observations { observation.cancel() }
            _ = try await promise.granted(two)
        },
        Check("a load that was saved is told to those for whom it is good enough, and to no other") {
            promise, _, one, two in
            let number = try await promise.granted(one)
            let held = try await two.take("key", for: span, unlessSavedSince: number)
            try promise.holds(held == .held(number), "\(held) before it was saved")
            try await one.end("key", number, isSaved: true)
            let saved = try await two.take("key", for: span, unlessSavedSince: number)
            try promise.holds(saved == .saved(number), "\(saved), expected saved(\(number))")
            let later = try await promise.granted(two, since: number + 1)
            // While a later one is under way, the earlier one is still good enough for whoever waited for it.
            let still = try await one.take("key", for: span, unlessSavedSince: number)
            try promise.holds(still == .saved(number), "\(still), expected saved(\(number))")
            try await two.end("key", later, isSaved: true)
            let newer = try await one.take("key", for: span, unlessSavedSince: number)
            try promise.holds(newer == .saved(later), "\(newer), expected saved(\(later))")
            _ = try await promise.granted(one)
        },
        Check("a load that was not saved is told to nobody as saved") { promise, _, one, two in
            let number = try await promise.granted(one)
            try await one.end("key", number, isSaved: false)
            let later = try await promise.granted(two, since: number)
            try promise.holds(later > number, "the number is \(later)")
        },
    ]

    private static let losingChecks = [
        Check("a lease whose time has passed goes to another, and its holder has no part in it any more") {
            promise, subject, one, two in
            let lost = try await promise.granted(one)
            try await subject.expire(one)
            let number = try await promise.granted(two)
            try promise.holds(number > lost, "\(number) came after \(lost)")
            try promise.holds(try await !one.renew("key", lost, for: span), "the lost lease was renewed")
            try await one.end("key", lost, isSaved: true)
            let answer = try await one.take("key", for: span, unlessSavedSince: lost)
            try promise.holds(answer == .held(number), "\(answer), expected held(\(number))")
        },
        Check("a renewed lease lasts, and an ended one is not renewed") { promise, subject, one, two in
            let number = try await promise.granted(one)
            try await subject.expire(one)
            try promise.holds(try await one.renew("key", number, for: span), "it was not renewed")
            let answer = try await two.take("key", for: span, unlessSavedSince: nil)
            try promise.holds(answer == .held(number), "\(answer), expected held(\(number))")
            try await one.end("key", number, isSaved: false)
            try promise.holds(try await !one.renew("key", number, for: span), "the ended lease was renewed")
        },
        Check("the lease of a machine that has died is free at once", kills: true) { promise, subject, one, two in
            let lost = try await promise.granted(one)
            try await subject.kill?(one)
            let number = try await promise.granted(two, since: lost)
            try promise.holds(number > lost, "\(number) came after \(lost)")
        },
    ]
}

extension Promise {
    /// The number of a lease that must be free.
    fileprivate func granted(
        _ machine: any LoadLeases, _ key: String = "key", since number: UInt64? = nil
    ) async throws -> UInt64 {
        let answer = try await machine.take(key, for: LoadLeasesContract.span, unlessSavedSince: number)
        guard case .granted(let number) = answer else { throw ContractViolation(text, "\(answer), expected a lease") }
        return number
    }
}
