import Foundation

/// The program: it finds the command in the table, runs it, and reports its error.
enum CommandProgram {
    static let version = "0.1.0"

    /// Runs the command that the words name.
    ///
    /// - Parameter damaged: The place of a word that is not text, and cannot be passed on as it is.
    static func run(_ words: [String], damaged: Int? = nil, _ console: Console) async -> ExitStatus {
        // Most command lines have no `--json`, and need no scan.
        let printsDocuments =
            words.contains { $0.hasPrefix(Options.json.declaration.name) }
            && CommandLineScan(words).printsDocuments
        if printsDocuments { Signals.ending { console.endInterrupted() } }
        do throws(CommandError) {
            if let damaged {
                throw CommandError(
                    status: .usage, message: "word \(damaged) of the command line is not text in UTF-8")
            }
            return try await dispatch(words, console)
        } catch {
            console.note(error.message)
            for remark in error.remarks { console.note(remark) }
            if printsDocuments { console.out(error) }
            return error.status
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws(CommandError) -> ExitStatus {
        let given: Arguments
        do throws(CommandError) {
            given = try Arguments(words)
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
            try HelpText.check(given.words)
            console.out(lines: HelpText.lines(for: given.words))
            return .delivered
        }
        let command = try CommandTable.command(given.words)
        if command.acts { console.beginAct() }
        do throws(CommandError) {
            let arguments = try given.arguments(of: command)
            var options = try GlobalOptions(arguments)
            if arguments.has(Options.store), options.servers?.store.hasPassword == true {
                console.note("every user of this machine can see a password in --store; $AQUIFER_STORE hides it")
            }
            if command.handler.usesStores { options = try await options.connected() }
            let call = CommandCall(command: command, arguments: arguments, options: options, console: console)
            return try await command.handler.init(call).run()
        } catch {
            throw error.pointing(to: command.name)
        }
    }
}
