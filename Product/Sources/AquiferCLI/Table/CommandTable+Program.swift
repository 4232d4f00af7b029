extension CommandTable {
    static let cache = CommandGroup(
        "cache", "manage the saved copies",
        [
            Command(
                "cache list", "lists the saved copies, files and phrases too, with their state, age, size and key",
                details:
                    "The list of the phrases has two entries: one in the store, and FoaasOperationsKey in the user"
                    + " defaults.",
                run: CacheListCommand.self),
            Command(
                "cache validate", "deletes the copies that are expired or damaged, and keeps the rest",
                details:
                    "Damaged favorites stay. Payments and the outbox are no part of the cache, and their lists show their damage.",
                run: CacheValidateCommand.self),
            Command(
                "cache clear", "deletes the entry of KEY; without KEY, everything that can be loaded again",
                details: "Clips that you keep offline, the last phrases and their settings stay.",
                [CommandArgument("KEY", "the entry's key").optional], run: CacheClearCommand.self),
        ])

    static let store = CommandGroup(
        "store", "prepare a database for --store",
        [
            Command(
                "store schema", "prints the SQL that makes the tables of --store",
                details:
                    "The first command that uses --store makes them by itself, if its user may. Otherwise make the role first"
                    + " (CREATE ROLE app LOGIN), and run this as the database's administrator: aquifer store schema --role app"
                    + " | psql --set ON_ERROR_STOP=1 --single-transaction DATABASE.",
                options: [Options.role], takesGlobalOptions: false, run: StoreSchemaCommand.self)
        ])

    static let completion = CommandGroup(
        "completion", "print the completion script of a shell",
        [
            Command(
                "completion", "prints the script that completes the words of aquifer in a shell",
                details:
                    "bash: add 'source <(aquifer completion bash)' to ~/.bashrc. zsh: write it to a file _aquifer in a"
                    + " folder of $fpath. fish: write it to ~/.config/fish/completions/aquifer.fish.",
                [CommandArgument("SHELL", "bash, zsh or fish", .choices(Shell.allCases.map(\.rawValue)))],
                takesGlobalOptions: false, run: CompletionCommand.self)
        ])

    static let man = CommandGroup(
        "man", "print the manual page",
        [
            Command(
                "man", "prints the manual page, for man(1)",
                details: "To read it: aquifer man | man -l -.", takesGlobalOptions: false, run: ManCommand.self)
        ])

    static let help = CommandGroup(
        "help", "print the help of a command",
        [
            Command(
                "help", "prints the help of a command, like --help",
                [CommandArgument("COMMAND", "the command").optional.repeated], takesGlobalOptions: false,
                run: HelpCommand.self)
        ])
}
