import Aquifer
import Foundation

extension Simulation {
    /// The work of a world.
    public typealias World = @Sendable (_ world: Simulation) async throws -> Void

    /// Runs a simulation as a program: parses its command line, runs the seeds, prints, and ends the process.
    ///
    /// The process ends with 0 if all seeds passed, 1 if one failed, 2 if the command line is wrong, and 3 if this system
    /// cannot run simulations. `--help` lists the options.
    public static func main(_ world: @escaping World) -> Never {
        main(["world": world])
    }

    /// Runs a program of several worlds, which `--world` chooses from. See ``main(_:)-swift.type.method``.
    public static func main(_ worlds: [String: World]) -> Never {
        let options: SimulationOptions
        do {
            options = try SimulationOptions(CommandLine.arguments, ProcessInfo.processInfo.environment, worlds.keys)
        } catch {
            say("\(error.reason)\n\n\(SimulationOptions.help(worlds.keys.sorted()))", to: .standardError)
            exit(2)
        }
        if options.wantsHelp {
            say(SimulationOptions.help(worlds.keys.sorted()))
            exit(0)
        }
        guard isSupported else {
            say("This system does not let a program replace the executors of Swift concurrency.", to: .standardError)
            exit(3)
        }
        hashAlike()
        Executors.replace()
        Conducting.conductor = SimulatedConductor()
        var report = SimulationReport(options)
        for (name, world) in worlds.sorted(by: { $0.key < $1.key }) where options.world ?? name == name {
            report.run(name, world)
        }
        exit(report.end())
    }

    /// Swift's sets and dictionaries have another order in each process, unless a variable is set before it starts.
    private static func hashAlike() {
        let variable = "SWIFT_DETERMINISTIC_HASHING"
        if ProcessInfo.processInfo.environment[variable] == "1" { return }
        #if os(Linux)
            setenv(variable, "1", 1)
            var arguments = CommandLine.arguments.map { strdup($0) }
            arguments.append(nil)
            _ = execv("/proc/self/exe", arguments)
        #endif
        say("A simulation needs the variable \(variable): set it to 1.", to: .standardError)
        exit(3)
    }

    static func say(_ text: String, to file: FileHandle = .standardOutput) {
        file.write(Data("\(text)\n".utf8))
    }
}
