import AquiferShadowDrive

extension CommandTable {
    static let drive = CommandGroup(
        "drive", "manage storage accounts and files of Shadow Drive", showsDriveOptions: true,
        notes: [
            "ACCOUNT is an address, or the name of one of yours. SIZE is a number with KB, MB or GB: 10MB, 1.5GB.",
            "A change that costs or cannot be undone is asked about on the terminal, with its cost and your balance."
                + " Without a terminal it needs --yes; only create does without, and then shows no cost.",
        ], accounts + files + changes + transactions)

    private static let accounts = [
        Command(
            "drive create", "creates a storage account",
            details:
                "On a terminal it asks first, with the cost and your balance. Without one it asks nothing, and shows"
                + " no cost.", [CommandArgument("NAME", "the account's name"), .size],
            options: [Options.yes], acts: true, run: DriveCreateCommand.self),
        Command("drive list", "lists your storage accounts", run: DriveListCommand.self),
        Command("drive info", "shows one account", [.account], run: DriveInfoCommand.self),
    ]

    private static let files = [
        Command(
            "drive files", "lists the files of an account; offline, those of the last seven days", [.account],
            options: [Options.sizes], run: DriveFilesCommand.self),
        Command(
            "drive objects", "asks the server for the names of an account's files", [.account],
            run: DriveObjectsCommand.self),
        Command(
            "drive upload", "uploads files to an account",
            [.account, CommandArgument("FILE", "the file to upload", .file).repeated], options: [Options.replace],
            acts: true, run: DriveUploadCommand.self),
        Command(
            "drive edit", "replaces a file of an account by a local file of its name",
            [.account, CommandArgument("FILE", "the file to upload", .file)], acts: true, run: DriveEditCommand.self),
        Command("drive object", "shows the owner and the account of a file", [.url], run: DriveObjectCommand.self),
        Command(
            "drive get", "writes a file to FILE, or to standard output with -o -", [.url], required: [Options.output],
            run: DriveGetCommand.self),
        Command(
            "drive delete", "deletes a file", details: asks, [.url], options: [Options.yes],
            acts: true, run: DriveDeleteCommand.self),
    ]

    private static let changes = [
        Command(
            "drive add-storage", "adds storage to an account", details: asks, [.account, .size], options: [Options.yes],
            acts: true, run: DriveAddStorageCommand.self),
        Command(
            "drive reduce-storage", "gives storage of an account back", details: asks, [.account, .size],
            options: [Options.yes],
            acts: true, run: DriveReduceStorageCommand.self),
        Command(
            "drive make-immutable", "makes an account immutable for ever", details: asks, [.account],
            options: [Options.yes],
            acts: true, run: DriveMakeImmutableCommand.self),
        Command(
            "drive delete-account", "asks for an account and its files to be deleted",
            details: "The server deletes them some days later. Until then, drive keep-account cancels it. " + asks,
            [.account], options: [Options.yes], acts: true, run: DriveDeleteAccountCommand.self),
        Command(
            "drive keep-account", "cancels the deletion of an account", [.account],
            acts: true, run: DriveKeepAccountCommand.self),
        Command(
            "drive claim", "takes back the tokens of storage that was given back", [.account],
            acts: true, run: DriveClaimCommand.self),
    ]

    private static let transactions = [
        Command(
            "drive keygen", "generates a key pair and writes it to a file, in Solana's form",
            [CommandArgument("FILE", "the key file", .file)], driveOptions: [], acts: true, run: DriveKeygenCommand.self
        ),
        Command(
            "drive transaction", "prints the base64 of a transaction without sending it",
            details:
                "The same words always give the same bytes. KIND is one of \(kinds.joined(separator: ", ")), or the"
                + " program's name for it.", [CommandArgument("KIND", "the kind of transaction", .choices(kinds))],
            required: [Options.blockhash],
            options: [
                Options.ownerSeedFile, Options.counter, Options.account, Options.name, Options.bytes, Options.used,
                Options.computeUnits, Options.computePrice,
            ], driveOptions: [Options.keypair, Options.uploader], run: DriveTransactionCommand.self),
        Command(
            "drive submit", "sends a transaction that was signed elsewhere",
            details: "TRANSACTION is its base64, or - for standard input. " + asks,
            [CommandArgument("TRANSACTION", "the transaction")], options: [Options.yes], acts: true,
            run: DriveSubmitCommand.self),
    ]

    private static let asks =
        "It asks first on the terminal, and says what it costs; without a terminal it needs --yes."

    private static let kinds = StorageInstruction.Kind.allCases.map(\.word)
}

extension CommandArgument {
    fileprivate static let account = CommandArgument(
        "ACCOUNT", "the account's address or name", note: "ACCOUNT is an address, or the name of one of yours.")
    fileprivate static let size = CommandArgument(
        "SIZE", "the size", note: "SIZE is a number with KB, MB or GB: 10MB, 1.5GB.")
    fileprivate static let url = CommandArgument("URL", "the file's address")
}
