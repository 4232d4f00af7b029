import Aquifer
import AquiferSQLite
import CSQLiteFaults
import Foundation

/// The kinds of faults.
enum FaultKind: String, CaseIterable {
    case memory, file, torn, full

    var code: Int32 {
        switch self {
        case .memory: Int32(FAULT_MEMORY)
        case .file: Int32(FAULT_FILE)
        case .torn: Int32(FAULT_TORN)
        case .full: Int32(FAULT_FULL)
        }
    }
}

/// Runs the session with one fault after another.
struct FaultSweep {
    let every: Int
    let durability: SQLiteStore.Durability
    private(set) var broken: [String] = []

    init(every: Int, durability: String) {
        self.every = every
        self.durability = durability == "power" ? .power : .process
    }

    /// Lets each `every`th call of this kind fail, until a session makes no more calls.
    mutating func run(_ kind: FaultKind, only: Int) async throws {
        var (number, sessions, last) = (only > 0 ? only : 1, 0, 0)
        var outcomes: [String: Int] = [:]
        while true {
            let session = try FaultSession(durability)
            faults_arm(kind.code, number)
            let result = await session.run()
            let call = faults_struck().map { String(cString: $0) }
            last = max(last, faults_calls())
            faults_arm(Int32(FAULT_NONE), 0)
            sessions += 1
            for outcome in result.outcomes { outcomes[outcome, default: 0] += 1 }
            broken += (result.broken + (await session.judge())).map {
                "\(kind) \(number) (\(call ?? "none")): \($0)"
            }
            session.remove()
            if call == nil || only > 0 { break }
            if result.outcomes.isEmpty { outcomes["no effect", default: 0] += 1 }
            number += every
        }
        let row = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("| \(kind), \(durability) | \(last) | \(sessions) | \(row) | \(broken.count) |")
    }
}
