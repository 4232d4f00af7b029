extension CommandTable {
    static let contacts = CommandGroup(
        "contacts", "list the people you can send money to",
        [
            Command(
                "contacts", "lists the people you can send money to",
                details:
                    "With QUERY, it lists those whose name or user name contains it, in any case and with or without"
                    + " accents. Offline, it lists those saved in the last seven days.", [.query],
                run: ContactsCommand.self)
        ])

    static let cards = CommandGroup(
        "cards", "manage your cards, which are kept encrypted",
        notes: [
            "A card that is declined is no longer the default, if there is another one that can be used.",
            "The key is kept apart from the data, under $XDG_CONFIG_HOME/aquifer/keys or ~/.config/aquifer/keys.",
        ],
        [
            Command(
                "cards list", "lists the cards, masked, and shows which one is the default", run: CardsListCommand.self),
            Command(
                "cards add", "asks for a card's number, name and expiry, and keeps it as the default",
                details: "On a terminal the number is not shown. Otherwise each answer is a line of standard input.",
                acts: true, run: CardsAddCommand.self),
            Command(
                "cards default", "makes this card the default for payments",
                details: "A card that is declined is no longer the default, if there is another one that can be used.",
                [.card], acts: true, run: CardsDefaultCommand.self),
            Command(
                "cards remove", "deletes a card for good", [.card],
                acts: true, run: CardsRemoveCommand.self),
            Command(
                "cards rotate-key", "seals the cards with a new key",
                details:
                    "The new key is kept apart from the data, under $XDG_CONFIG_HOME/aquifer/keys or ~/.config/aquifer/keys.",
                acts: true, run: CardsRotateKeyCommand.self),
            Command(
                "cards accept-older", "uses an older copy of the cards that was put back",
                details: "Cards that you have removed since it was made are there again.",
                acts: true, run: CardsAcceptOlderCommand.self),
            Command(
                "cards discard-older", "deletes all cards of an older copy that was put back",
                acts: true, run: CardsDiscardOlderCommand.self),
        ])

    static let pay = CommandGroup(
        "pay", "send money with a card",
        [
            Command(
                "pay", "sends money, once",
                details:
                    "The security code is asked for on the terminal, is not shown, and is never kept. If no card is"
                    + " kept, it is asked for, too. While it is not known whether an earlier payment of this amount to the"
                    + " same person was made, the command asks before it sends another one; without a terminal it sends"
                    + " nothing.",
                [
                    CommandArgument("@USERNAME", "the contact's @username"), CommandArgument("AMOUNT", "the amount"),
                ], options: [Options.card, Options.codeFromInput, Options.again],
                exits: outcomes(
                    CommandExit(.usage, "nothing was sent: the outcome of an earlier payment like it is not known")),
                acts: true, run: PayCommand.self)
        ])

    static let payments = CommandGroup(
        "payments", "list your payments, ask for the outcome of one, send it again",
        [
            Command(
                "payments list", "lists the payments, the latest first",
                exits: [
                    CommandExit(.delivered, "listed, whatever became of them"),
                    CommandExit(.store, "a payment kept cannot be read"),
                ], run: PaymentsListCommand.self),
            Command(
                "payments check", "asks for the outcome of a payment that was not answered, without making it",
                [.payment], exits: outcomes(), run: PaymentsCheckCommand.self),
            Command(
                "payments retry", "sends a payment that was not answered or not made again, with the same key",
                details: "A server that honours the key charges it once.", [.payment],
                options: [Options.codeFromInput, Options.again],
                exits: outcomes(
                    CommandExit(.usage, "nothing was sent: the outcome of another payment like it is not known")),
                acts: true, run: PaymentsRetryCommand.self),
            Command(
                "payments give-up", "stops waiting for the outcome of a payment that was not answered",
                details: "Its outcome stays unknown, and the next payment like it has to be confirmed.",
                [.payment], acts: true, run: PaymentsGiveUpCommand.self),
            Command(
                "payments discard", "removes a damaged payment that cannot be read, for good",
                details: "Your bank's statement is the only record of it then. A payment that can be read stays. The ID"
                    + " \"\(PaymentsDiscardCommand.unnamed)\" stands for entries without one.",
                [CommandArgument("ID", "the payment's ID")],
                options: [Options.yes], acts: true, run: PaymentsDiscardCommand.self),
        ])
}

extension CommandTable {
    /// The exit codes of a command that ends with the outcome of one payment.
    private static func outcomes(_ other: CommandExit...) -> [CommandExit] {
        let known = [
            CommandExit(.delivered, "approved"), CommandExit(.refused, "declined, or refused by the server"),
            CommandExit(.unavailable, "not made"), CommandExit(.unrecorded, "known, and not recorded"),
            CommandExit(.unknown, "not known whether it was made"),
        ]
        return (known + other).sorted { $0.status.rawValue < $1.status.rawValue }
    }
}

extension CommandArgument {
    /// The words of a search.
    static let query = CommandArgument("QUERY", "the words to look for").optional.repeated
    fileprivate static let card = CommandArgument("ID", "the card's ID", note: .beginning)
    fileprivate static let payment = CommandArgument("ID", "the payment's ID", note: .beginning)
}

extension String {
    /// The note of an ID that is looked up in a list on this machine.
    static let beginning = "The beginning of the ID will do, from four characters."
}
