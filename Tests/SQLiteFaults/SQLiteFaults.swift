import Aquifer
import CSQLiteFaults
import Foundation
import Hammer

/// Lets each allocation and each call on a file that SQLite makes in a session of a `SQLiteStore` fail once, in turn.
///
/// It is a program of its own, because SQLite takes other allocations and another file system only before its first use.
@main
struct SQLiteFaults {
    private static let usage = "SQLiteFaults [--every N] [--kind memory|file|torn|full] [--only N] [--durability power]"

    static func main() async {
        // A session that hangs ends here, with a signal that names it.
        alarm(900)
        let code = faults_install()
        await HammerArguments.run(usage: usage) { arguments in
            guard code == 0 else { throw Trouble("SQLite takes no faults: code \(code)") }
            var sweep = FaultSweep(
                every: try arguments.number("--every", or: 1), durability: arguments.value("--durability") ?? "process")
            let only = try arguments.number("--only", or: 0, least: 0)
            for kind in FaultKind.allCases where arguments.value("--kind").map({ $0 == kind.rawValue }) ?? true {
                try await sweep.run(kind, only: only)
            }
            for line in sweep.broken.prefix(20) { print(line) }
            exit(sweep.broken.isEmpty ? 0 : 1)
        }
    }
}
