extension CommandTable {
    static let foaas = CommandGroup(
        "foaas", "get a phrase", notes: ["A phrase needs a connection. The list is saved for seven days."],
        [
            Command(
                "foaas list", "lists the operations, with the keys to fill in",
                details: "Offline, it lists those saved in the last seven days.", [.query], run: FoaasListCommand.self),
            Command(
                "foaas say", "gets the phrase of an operation",
                details: "NAME is its name or the first word of its path. A phrase needs a connection.",
                [
                    CommandArgument("NAME", "the operation's name"),
                    CommandArgument("KEY=VALUE", "the values of the operation's keys").optional.repeated,
                ], options: [Options.unfiltered], run: FoaasSayCommand.self),
            Command(
                "foaas random", "gets any phrase", details: "A phrase needs a connection.",
                options: [Options.unfiltered], run: FoaasRandomCommand.self),
        ])

    static let audio = CommandGroup(
        "audio", "list, download or post audio clips",
        [
            Command(
                "audio list", "lists the clips; offline, those saved in the last seven days",
                details: "A clip that waits to be posted is among them, with its item in the outbox.", [.query],
                run: AudioListCommand.self),
            Command(
                "audio get", "writes a clip's sound to a file",
                details:
                    "An interrupted download resumes, and a clip that is kept on this machine is not fetched again.",
                [CommandArgument("ID", "the clip's ID", note: .beginning)], required: [Options.output],
                run: AudioGetCommand.self),
            Command(
                "audio post", "posts a clip now and prints its ID",
                details:
                    "It is in the outbox until the server has it: when its answer is lost, the clip stays there and is"
                    + " posted again under the same key.",
                [CommandArgument("FILE", "the file to post", .file)], required: [Options.title],
                options: [Options.author, Options.later],
                exits: [
                    CommandExit(.delivered, "posted, or kept for later"),
                    CommandExit(.refused, "the server refused it"),
                    CommandExit(.unavailable, "nothing was posted or kept: there is no connection"),
                    CommandExit(.unrecorded, "posted, and still in the outbox"),
                    CommandExit(.unknown, "it may have been posted, and waits in the outbox"),
                ], acts: true, run: AudioPostCommand.self),
        ])

    static let outbox = CommandGroup(
        "outbox", "list, send, retry or discard posts that wait to be sent",
        [
            Command("outbox list", "lists the items that wait to be sent, in their order", run: OutboxListCommand.self),
            Command(
                "outbox send", "sends every item that can be sent now, also those that wait to be tried again",
                details: "A wait that a server asked for (Retry-After) goes on.", options: [Options.wait],
                exits: sending, acts: true, run: OutboxSendCommand.self),
            Command(
                "outbox retry", "tries an item again now, with the same key",
                details: "A server that honours the key does not take it twice.", [.item],
                exits: sending, acts: true, run: OutboxRetryCommand.self),
            Command(
                "outbox discard", "takes an item out of the outbox for good, also one that is damaged",
                details: "The command reports it if the item may have arrived all the same.", [.item],
                acts: true, run: OutboxDiscardCommand.self),
        ])
}

/// The exit codes of a command that sends what waits in the outbox.
private let sending = [
    CommandExit(.delivered, "nothing is left to be sent"), CommandExit(.refused, "the server refused something"),
    CommandExit(.unknown, "something is left and will be tried again"),
]

extension CommandArgument {
    fileprivate static let item = CommandArgument("ID", "the item's ID")
}
