import Aquifer
import Foundation

/// The promises of `apply`.
extension ChangeContract {
    /// Without it, the other checks could pass because nothing ever applied.
    var effective: Check {
        Check("each change changes at least one of the values") { promise in
            try promise.holds(!changes.isEmpty, "there are no changes: give at least one of each kind")
            let states = states
            for change in changes {
                let isEffective = states.contains { Self.result(of: [change], over: $0.value) != $0.value }
                try promise.holds(
                    isEffective, "\(Self.brief(change)) changes none: give a value that has what it changes")
            }
        }
    }

    var deterministic: Check {
        Check("`apply` is deterministic: it reads no clock, and draws nothing") { promise in
            for (change, state) in everywhere {
                let (first, second) = (Self.applied(change, to: state.value), Self.applied(change, to: state.value))
                try promise.holds(
                    first == second,
                    "\(Self.brief(change)) made two values of \(state.origin): "
                        + "\(Self.outcome(first)) and \(Self.outcome(second)). Draw ids and read clocks when the change is made"
                )
            }
        }
    }

    var total: Check {
        Check("a change that throws leaves the value as it was") { promise in
            for (change, state) in everywhere {
                var value = state.value
                do { try change.apply(to: &value) } catch {
                    try promise.holds(
                        value == state.value,
                        "\(Self.brief(change)) threw (\(error)) and left \(Self.brief(value)) of \(state.origin), "
                            + Self.brief(state.value))
                }
            }
        }
    }

    var idempotent: Check {
        Check("applied twice, a change is applied once") { promise in
            for (change, state) in everywhere {
                guard let once = Self.applied(change, to: state.value) else { continue }
                let twice = Self.result(of: [change], over: once)
                try promise.holds(
                    twice == once,
                    "\(Self.brief(change)) made \(Self.brief(once)) of \(state.origin), and applied again \(Self.brief(twice))"
                )
            }
        }
    }

    var replayable: Check {
        Check("changes replayed over a value that shows some of them already make the same value") { promise in
            for (place, value) in values.enumerated() {
                let expected = Self.result(of: changes, over: value)
                for count in 1...max(1, changes.count) {
                    // The server has taken these, and the app does not know it yet.
                    let base = Self.result(of: Array(changes.prefix(count)), over: value)
                    let found = Self.result(of: changes, over: base)
                    try promise.holds(
                        found == expected,
                        "all changes made \(Self.brief(expected)) of value \(place + 1), but \(Self.brief(found)) of the same value "
                            + "after the first \(count). A change sets what it means (a title, a rank), and does not say how "
                            + "to get there (one more, to the third place)")
                }
            }
        }
    }

    /// Each change with each state.
    var everywhere: [(Change, State)] {
        let states = states
        return changes.flatMap { change in states.map { (change, $0) } }
    }

    static func outcome(_ value: Change.Value?) -> String { value.map { brief($0) } ?? "an error" }
}
