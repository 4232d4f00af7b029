extension CommandTable {
    static let feed = CommandGroup(
        "feed", "list the image feed, read its comments, write a picture to a file",
        [
            Command(
                "feed list", "lists the newest ten items, the newest N, or all",
                details: "Offline, it lists the items that were saved in the last seven days.",
                exclusive: [Options.limit, Options.all], run: FeedListCommand.self),
            Command(
                "feed comments", "lists the comments on a picture", [.picture], run: FeedCommentsCommand.self),
            Command(
                "feed image", "writes a picture to FILE, or to standard output with -o -",
                details:
                    "FILE is written whole or not at all, and keeps its permissions. A symbolic link stays one: the"
                    + " file that it points to is written. A device or a named pipe is written into. This holds for every"
                    + " -o.", [.picture], required: [Options.output], run: FeedImageCommand.self),
        ])
}

extension CommandArgument {
    fileprivate static let picture = CommandArgument("ID", "the picture's ID")
}
