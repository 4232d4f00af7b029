import Foundation

/// The command line of a simulation.
struct SimulationOptions {
    /// The mistake in a command line.
    struct Wrong: Error { var reason: String }

    var first: UInt64 = 1
    var count: UInt64 = 1
    var world: String?
    var isTraced = false
    var goesOn = false
    var wantsHelp = false
    var without: Set<SimulatedFault> = []
    var switches: Set<String> = []

    /// Reads arguments; `SEED` and `COUNT` of the environment count where the arguments say nothing.
    init(
        _ arguments: [String], _ environment: [String: String], _ worlds: some Collection<String>
    ) throws(Wrong) {
        if let seed = environment["SEED"] { first = try Self.number(seed, "SEED") }
        if let count = environment["COUNT"] { self.count = try Self.number(count, "COUNT") }
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--help": wantsHelp = true
            case "--trace": isTraced = true
            case "--keep-going": goesOn = true
            default:
                guard let value = rest.popFirst() else { throw Wrong(reason: "\(option) is unknown, or has no value") }
                try take(option, value, worlds)
            }
        }
        guard count > 0, !first.addingReportingOverflow(count).overflow else {
            throw Wrong(reason: "there are no \(count) seeds from \(first) on")
        }
    }

    private mutating func take(_ option: String, _ value: String, _ worlds: some Collection<String>) throws(Wrong) {
        switch option {
        case "--seed": (first, count) = (try Self.number(value, option), 1)
        case "--from": first = try Self.number(value, option)
        case "--count": count = try Self.number(value, option)
        case "--set": switches.formUnion(value.split(separator: ",").map(String.init))
        case "--world":
            guard worlds.contains(value) else { throw Wrong(reason: "there is no world \(value)") }
            world = value
        case "--without":
            for name in value.split(separator: ",") {
                guard let fault = SimulatedFault(rawValue: String(name)) else {
                    throw Wrong(reason: "there is no fault \(name)")
                }
                without.insert(fault)
            }
        default: throw Wrong(reason: "\(option) is unknown")
        }
    }

    private static func number(_ text: String, _ option: String) throws(Wrong) -> UInt64 {
        guard let number = UInt64(text) else { throw Wrong(reason: "\(option) wants a number, and \(text) is none") }
        return number
    }

    static func help(_ worlds: [String]) -> String {
        """
        Options:
          --seed N         one seed (also: SEED=N)
          --from N         the first seed of many
          --count N        the number of seeds (also: COUNT=N)
          --world NAME     one of: \(worlds.joined(separator: ", "))
          --trace          prints history and schedule of each seed
          --keep-going     goes on after a seed that fails
          --without A,B    faults that do not strike: \(SimulatedFault.allCases.map(\.rawValue).joined(separator: ", "))
          --set A,B        switches that the world knows
        """
    }
}
