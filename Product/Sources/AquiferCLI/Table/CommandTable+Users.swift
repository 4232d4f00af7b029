extension CommandTable {
    static let users = CommandGroup(
        "users", "manage the users of aquifer serve --users",
        notes: [
            "Names and the hashes of tokens are kept in the file that --users names; without it in --store, or in the file"
                + " serve.users of the data folder. A server that runs notices each change, and so do all replicas of a store."
        ],
        [
            Command(
                "users add", "adds a user, and prints the link that lets the user in",
                details: "The link is shown only now. --host and --port are those of the server; without them it is for"
                    + " http://127.0.0.1:8080. Behind a proxy --origin is its address.",
                [name], options: [Options.users, Options.host, Options.port, Options.origin],
                exits: [CommandExit(.usage, "there is a user of this name already")], acts: true,
                run: UsersAddCommand.self),
            Command(
                "users token", "prints another link of a user, for another device",
                details: "Earlier links stay valid.", [name],
                options: [Options.users, Options.host, Options.port, Options.origin], exits: [unknown],
                acts: true, run: UsersAddCommand.self),
            Command(
                "users list", "lists the users, and the number of their tokens", options: [Options.users],
                run: UsersListCommand.self),
            Command(
                "users logout", "ends all links of a user",
                details:
                    "Pages that are open end at once. Everything that the user has saved stays, and goes on being sent.",
                [name], options: [Options.users], exits: [unknown], acts: true, run: UsersLogOutCommand.self),
            Command(
                "users remove", "removes a user, with cards, keys, payments, settings and uploads",
                details:
                    "It asks first on the terminal; without a terminal it needs --yes. Without a choice it refuses while"
                    + " something has not been sent, or a payment's outcome is not known. A file of users names the folders of"
                    + " its server, which it takes; --data and --keys name them if they are elsewhere now.",
                [name], options: [Options.users, Options.yes], exclusive: [Options.sendFirst, Options.discardUnsent],
                exits: [
                    unknown, CommandExit(.store, "the data of the users is not here; the user stays"),
                    CommandExit(.unknown, "something has not been sent; the user stays"),
                ],
                acts: true, run: UsersRemoveCommand.self),
        ])

    private static let name = CommandArgument(
        "NAME", "the user's name",
        note: "A name has 1 to 32 letters, digits, \".\", \"-\" or \"_\", and begins with a letter or a digit.")
    private static let unknown = CommandExit(.notFound, "there is no such user")
}
