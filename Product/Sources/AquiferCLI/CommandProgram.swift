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
            for remark in error.remarks { console.note(remark) }
            if printsDocuments(words) { console.out(error) }
            return error.status
        }
    }

    /// True if the words ask for documents, and standard output is not the file of `-o`. The words need not be right.
    private static func printsDocuments(_ words: [String]) -> Bool {
        let options = words.prefix { $0 != "--" }
        guard options.contains(Options.json.declaration.name) else { return false }
        return !Options.output.declaration.names.contains { name in
            options.contains("\(name)=-")
                || zip(options, options.dropFirst()).contains { $0 == name && $1 == "-" }
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws(CommandError) -> ExitStatus {
        let given: Arguments
        do throws(CommandError) {
            given = try Arguments(words, knowing: CommandTable.options)
        } catch {
            // Words before the first option that name no command point to the general help.
            let command = try? CommandTable.command(Array(words.prefix { !$0.hasPrefix("-") }))
            throw command.map { error.pointing(to: $0.name) } ?? error
        }
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
