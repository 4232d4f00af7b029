import ReferenceAPIs

extension CommandTable {
    static let serve = CommandGroup(
        "serve", "show all apps in a browser, on this machine", showsDriveOptions: true,
        [
            Command(
                "serve", "serves the apps to a browser, and prints the address to open",
                details:
                    "Press Ctrl-C, or send SIGTERM, to end it. Without --port it listens on port 8080. With --users each"
                    + " user of the file has cards, payments, posts that wait, keys and settings alone.",
                options: [Options.port, Options.host, Options.users, Options.quota, Options.noToken, Options.fault],
                run: ServeCommand.self)
        ])

    static let remotes = CommandGroup(
        "remotes", "run the reference remotes on a port of their own",
        notes: [
            "The drive remote signs with \(ReferenceAPIs.driveUploader), to be given to --uploader. Below its address,"
                + " /files has its files, and /rpc is its Solana."
        ],
        [
            Command(
                "remotes", "runs the reference remotes, and prints a NAME=URL for each one, to be given to --remote",
                details: "Without --port they listen on port 8090. With --data, posted data is kept in that folder;"
                    + " without it, posted data is deleted when they end.",
                options: [Options.port, Options.host, Options.fault], run: RemotesCommand.self)
        ])
}
