/// The texts of `--help`.
enum Help {
    static func text(for words: [String]) -> String {
        switch words.first {
        case "serve": serve
        case "remotes": remotes
        case "feed": feed
        case "cache": cache
        default: all
        }
    }

    private static let all = """
        Usage: aquifer COMMAND [OPTION]…

        Shows the latest, saves it, and shows the saved copy for seven days when there is no connectivity.

        Commands:
          serve                         everything in a browser, on this machine
          remotes                       the reference remotes on a port of their own
          feed list                     the image feed
          feed comments ID              what was said of a picture
          feed image ID -o FILE         a picture
          cache list | validate | clear what is saved

        Options, everywhere:
          --data DIR         keep what is saved in DIR (else $XDG_DATA_HOME/aquifer or ~/.local/share/aquifer)
          --remote NAME=URL  use the server at URL for the app NAME (feed, payments); else its reference remote is used
          --json             print one JSON document
          --offline          act as if there were no network
          --at TIME          act as if it were TIME: 2026-11-21T09:00:00Z, or from now: +8d, -1h
          --quiet            no notes on standard error, only errors
          --help             this text, or that of a command
          --version          the version

        Exit: 0 delivered; 64 usage; 65 the remote's data is invalid and nothing is saved; 69 no connectivity and
        nothing saved in the last seven days; 74 the store failed.
        """

    private static let serve = """
        Usage: aquifer serve [--port 8080] [--host 127.0.0.1] [--no-token] [--fault REMOTE=FAULT]… [OPTION]…

        Serves the apps to a browser, and prints the address to open. Ends with SIGTERM or Ctrl-C.

          --port PORT           the port; 0 for any free one (8080)
          --host HOST           the address to listen on (127.0.0.1: this machine only)
          --no-token            let in whoever reaches the port, not only who has the printed address
          --fault REMOTE=FAULT  begin with a fault of a reference remote: offline, slow, failing, garbage,
                                cut, answer-lost

        See aquifer --help for the options that go everywhere.
        """

    private static let remotes = """
        Usage: aquifer remotes [--port 8090] [--host 127.0.0.1] [--fault REMOTE=FAULT]…

        Serves the reference remotes, and prints a NAME=URL for each, to be given to --remote.

          --port PORT           the port; 0 for any free one (8090)
          --host HOST           the address to listen on (127.0.0.1: this machine only)
          --fault REMOTE=FAULT  make a remote offline, slow, failing, garbage, cut or answer-lost
        """

    private static let feed = """
        Usage: aquifer feed list [--limit N | --all] [OPTION]…
               aquifer feed comments ID [OPTION]…
               aquifer feed image ID -o FILE [OPTION]…

        list      the newest ten items, the newest N, or all; offline, those saved in the last seven days
        comments  what was said of a picture
        image     writes a picture to FILE, or to standard output with -o -

        See aquifer --help for the options that go everywhere.
        """

    private static let cache = """
        Usage: aquifer cache list [OPTION]…
               aquifer cache validate [OPTION]…
               aquifer cache clear [KEY] [OPTION]…

        list      what is saved: whether it is good, when it was saved, its size, its key
        validate  deletes what is expired or unreadable, and keeps the rest
        clear     deletes the entry of KEY, or every entry

        See aquifer --help for the options that go everywhere.
        """
}
