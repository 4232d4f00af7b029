import App

/// The code of one command. It reads its arguments when it is created, and does its work when it runs.
protocol CommandHandler: Sendable {
    /// Reads the arguments.
    ///
    /// - Throws: `.usage` if they are not what the command takes. Nothing was done then.
    init(_ call: CommandCall) throws(CommandError)

    /// False for a command that reads and writes nothing of the product's, or opens the stores itself.
    static var usesStores: Bool { get }

    /// Carries out the command.
    func run() async throws(CommandError) -> ExitStatus
}

extension CommandHandler {
    static var usesStores: Bool { true }
}

/// A command that the user typed, and the means to carry it out.
struct CommandCall: Sendable {
    let command: Command
    /// The options, and the words after the command's name. Their number is right.
    let arguments: Arguments
    let options: GlobalOptions
    let console: Console

    /// The words after the command's name.
    var words: [String] { arguments.words }

    /// The same call, on stores that are open.
    func on(_ stores: SharedStores) -> CommandCall { with(options.on(stores)) }

    /// The same call, with other options.
    func with(_ options: GlobalOptions) -> CommandCall {
        CommandCall(command: command, arguments: arguments, options: options, console: console)
    }

    /// The apps, on the user's data.
    ///
    /// - Parameter patience: the time after which a load delivers the saved copy while the server has not answered; `nil` for a
    ///   command to which the saved copy is of no use, and for pages, which show it meanwhile.
    func services(patience: Duration? = .seconds(8)) -> Services {
        var configuration = options.configuration
        configuration.patience = patience
        return Services(configuration)
    }
}
