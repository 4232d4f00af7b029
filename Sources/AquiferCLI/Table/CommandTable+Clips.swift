extension CommandTable {
    static let foaas = CommandGroup(
        "foaas", "get a phrase", notes: ["A phrase needs a connection. The list is saved for seven days."],
        [
            Command(
                "foaas list", "lists the operations, with the keys to fill in", [.query], run: FoaasListCommand.self),
            Command(
                "foaas say", "gets the phrase of an operation",
                details: "NAME is its name or the first word of its path.",
                [
                    CommandArgument("NAME", "the operation's name"),
                    CommandArgument("KEY=VALUE", "the values of the operation's keys").optional.repeated,
                ], options: [Options.unfiltered], run: FoaasSayCommand.self),
            Command("foaas random", "gets any phrase", options: [Options.unfiltered], run: FoaasRandomCommand.self),
        ])

    static let audio = CommandGroup(
        "audio", "list, download or post audio clips",
        [
            Command(
                "audio list", "lists the clips; offline, those saved in the last seven days", [.query],
                run: AudioListCommand.self),
            Command(
                "audio get", "writes a clip's sound to a file",
                details:
                    "An interrupted download resumes, and a clip that is kept on this machine is not fetched again.",
                [CommandArgument("ID", "the clip's ID")], required: [Options.output], run: AudioGetCommand.self),
            Command(
                "audio post", "posts a clip now and prints its ID",
                details:
                    "It is in the outbox until the server has it: when its answer is lost, the clip stays there and is"
                    + " posted once (exit 75). Without a connection nothing is posted or kept (exit 69).",
                [CommandArgument("FILE", "the file to post", .file)], required: [Options.title],
                options: [Options.author, Options.later], run: AudioPostCommand.self),
        ])

    static let outbox = CommandGroup(
        "outbox", "list, send, retry or discard posts that wait to be sent",
        notes: [
            "Exit: 0 nothing is left to be sent; 1 the server refused something; 66 there is no such item; 75 something is"
                + " left and will be tried again."
        ],
        [
            Command("outbox list", "lists the items that wait to be sent, in their order", run: OutboxListCommand.self),
            Command(
                "outbox send", "sends every item that can be sent now, also those that wait to be tried again",
                details: "A wait that a server asked for (Retry-After) goes on.", options: [Options.wait],
                run: OutboxSendCommand.self),
            Command(
                "outbox retry", "tries an item again now, with the same key",
                details: "A server that has it already does not take it twice.", [.item], run: OutboxRetryCommand.self),
            Command(
                "outbox discard", "takes an item out of the outbox for good, also one that is damaged",
                details: "The command reports it if the item may have arrived all the same.", [.item],
                run: OutboxDiscardCommand.self),
        ])
}

extension CommandArgument {
    fileprivate static let item = CommandArgument("ID", "the item's ID")
}
