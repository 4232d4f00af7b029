import ReferenceAPIs

extension CommandTable {
    static let serve = CommandGroup(
        "serve", "show all apps in a browser, on this machine", showsDriveOptions: true,
        [
            Command(
                "serve", "serves the apps to a browser, and prints the address to open",
                details:
                    "Press Ctrl-C, or send SIGTERM, to end it; a second signal ends it at once. Without --port it listens on"
                    + " port 8080. Several of them with one --store are replicas: a page goes on with any of them. They need"
                    + " one key in --keys: the first makes it, and without it no other one starts. Kept sounds and a"
                    + " security code stay with each replica. With --users each user has"
                    + " cards, payments, posts that wait, keys and settings alone. /healthz and /readyz tell whether it"
                    + " runs and whether it can serve, and /metrics has numbers in OpenMetrics, with the token.",
                options: [
                    Options.port, Options.host, Options.users, Options.quota, Options.noToken, Options.origin,
                    Options.metricsPort, Options.log, Options.drain, Options.noSimulator, Options.fault,
                ], run: ServeCommand.self)
        ])

    static let link = CommandGroup(
        "link", "print the address of a server whose output nobody sees",
        [
            Command(
                "link", "prints the address to open of the server that has this data",
                details:
                    "--host and --port are those of the server; without them it is for http://127.0.0.1:8080. Behind a"
                    + " proxy --origin is its address. A server with --users has a link for each user: aquifer users token"
                    + " NAME prints another one.",
                options: [Options.host, Options.port, Options.origin],
                exits: [CommandExit(.notFound, "no server has run with this data")], run: LinkCommand.self)
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
