import Foundation

/// The program: it finds the command in the table, runs it, and reports its error.
enum CommandProgram {
    static let version = "0.1.0"

    /// Runs the command that the words name.
    static func run(_ words: [String], _ console: Console) async -> ExitStatus {
        do throws(CommandError) {
            return try await dispatch(words, console)
        } catch {
            console.note(error.message)
            return error.status
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws(CommandError) -> ExitStatus {
        let given = try Arguments(words, knowing: CommandTable.options)
        if given.has(Options.version) {
            console.out("aquifer \(version)")
            return .delivered
        }
        if given.has(Options.help) {
            console.out(lines: HelpText.lines(for: given.words))
            return .delivered
        }
        let command = try CommandTable.command(given.words)
        do throws(CommandError) {
            let arguments = try given.arguments(of: command)
            let call = CommandCall(
                command: command, arguments: arguments, options: try GlobalOptions(arguments), console: console)
            return try await command.handler.init(call).run()
        } catch {
            throw error.pointing(to: command.name)
        }
    }
}
