import ReferenceAPIs

/// The texts of `--help`.
enum Help {
    static func text(for words: [String]) -> String {
        switch words.first {
        case "serve": serve
        case "remotes": remotes
        case "feed": feed
        case "contacts": contacts
        case "cards": cards
        case "pay": pay
        case "payments": payments
        case "foaas": foaas
        case "audio": audio
        case "outbox": outbox
        case "drive": drive
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
          contacts [QUERY]              the people money can be sent to
          cards list | add | remove     the cards kept, sealed
          pay @USERNAME AMOUNT          send money with a card
          payments list | check | retry what was paid
          foaas list | say | random     phrases
          audio list | get | post       clips to be heard and posted
          outbox list | send            what waits to be sent
          drive COMMAND                 storage accounts and files of Shadow Drive
          cache list | validate | clear what is saved

        Options, everywhere:
          --data DIR         keep what is saved in DIR (else $XDG_DATA_HOME/aquifer or ~/.local/share/aquifer)
          --remote NAME=URL  use the server at URL for an app (feed, payments, foaas, audio, drive), not its reference remote
          --json             print one JSON document
          --offline          act as if there were no network
          --at TIME          act as if it were TIME: 2026-11-21T09:00:00Z, or from now: +8d, -1h
          --allow-test-card  take the payments' test card on a server that is not the reference remote
          --quiet            no notes on standard error, only errors
          --help             this text, or that of a command
          --version          the version

        Exit: 0 delivered; 1 a card was declined; 64 usage; 65 the remote's data is invalid and nothing is saved;
        69 no connectivity and nothing saved in the last seven days; 74 the store failed.
        """

    private static let serve = """
        Usage: aquifer serve [--port 8080] [--host 127.0.0.1] [--no-token] [--fault REMOTE=FAULT]… [OPTION]…

        Serves the apps to a browser, and prints the address to open. Ends with SIGTERM or Ctrl-C.

          --port PORT           the port; 0 for any free one (8080)
          --host HOST           the address to listen on (127.0.0.1: this machine only)
          --no-token            let in whoever reaches the port, not only who has the printed address
          --fault REMOTE=FAULT  begin with a fault of a reference remote: offline, slow, failing, garbage,
                                cut, answer-lost, cut-at:BYTES

        See aquifer --help for the options that go everywhere.
        """

    private static let remotes = """
        Usage: aquifer remotes [--port 8090] [--host 127.0.0.1] [--fault REMOTE=FAULT]…

        Serves the reference remotes, and prints a NAME=URL for each, to be given to --remote.

          --port PORT           the port; 0 for any free one (8090)
          --host HOST           the address to listen on (127.0.0.1: this machine only)
          --data FOLDER         keep here what is posted to them; otherwise it goes with them
          --fault REMOTE=FAULT  make a remote offline, slow, failing, garbage, cut, answer-lost,
                                stale-blockhash or cut-at:BYTES

        The drive remote signs with \(ReferenceAPIs.driveUploader),
        to be given to --uploader; its files are below its address at /files, its Solana at /rpc.
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

    private static let contacts = """
        Usage: aquifer contacts [QUERY] [OPTION]…

        The people money can be sent to; with QUERY, those whose name or user name contains it, whatever its case and
        accents. Offline, those saved in the last seven days.

        See aquifer --help for the options that go everywhere.
        """

    private static let cards = """
        Usage: aquifer cards list [OPTION]…
               aquifer cards add [OPTION]…
               aquifer cards remove ID [OPTION]…
               aquifer cards rotate-key [OPTION]…

        list        the cards kept, masked
        add         asks for number, name and expiry, or reads them from standard input, a line each
        remove      deletes a card for good; the beginning of its ID will do
        rotate-key  seals the cards with a new key

        The key is kept apart from the data, under $XDG_CONFIG_HOME/aquifer/keys or ~/.config/aquifer/keys.
        See aquifer --help for the options that go everywhere.
        """

    private static let pay = """
        Usage: aquifer pay @USERNAME AMOUNT [--card ID] [--cvv-stdin] [OPTION]…

        Sends money, once. The security code is asked for on the terminal, is not shown, and is never kept.

          --card ID    pay with this card, not with the one used last
          --cvv-stdin  read the security code from standard input

        Exit: 0 approved; 1 declined; 64 usage; 69 not made, or not known whether it was made: the note says which.
        See aquifer --help for the options that go everywhere.
        """

    private static let foaas = """
        Usage: aquifer foaas list [QUERY] [OPTION]…
               aquifer foaas say NAME [KEY=VALUE]… [--unfiltered] [OPTION]…
               aquifer foaas random [--unfiltered] [OPTION]…

        list    what can be said, with the keys to fill in
        say     says it; NAME is the operation's name or the first word of its path
        random  says anything

          --unfiltered  with the vowels of swear words

        A phrase needs a connection; the list does not, for seven days.
        See aquifer --help for the options that go everywhere.
        """

    private static let drive = """
        Usage: aquifer drive create NAME SIZE [OPTION]…
               aquifer drive list | info ACCOUNT | files ACCOUNT [--sizes] [OPTION]…
               aquifer drive upload ACCOUNT FILE… [--replace] [OPTION]…
               aquifer drive edit ACCOUNT FILE [OPTION]…
               aquifer drive object URL | get URL -o FILE | delete URL [OPTION]…
               aquifer drive add-storage ACCOUNT SIZE | reduce-storage ACCOUNT SIZE | make-immutable ACCOUNT [OPTION]…
               aquifer drive keygen FILE
               aquifer drive transaction KIND OPTION…

        ACCOUNT is an address, or the name of one of yours. SIZE is a number with KB, MB or GB: 10MB, 1.5GB.

          --keypair FILE   your key, in Solana's form; keygen makes one
          --drive-url URL  the server (else the reference remote)
          --rpc URL        Solana's JSON-RPC (else Solana's own; for the reference remote, its own)
          --files-url URL  where the files are (else below the server)
          --uploader KEY   the key that the server signs with, if it is not Shadow Drive's (aquifer remotes --help names
                           that of the reference remote)
          --replace        take the place of files with the same names
          --sizes          with the size of each file

        transaction prints the base64 of a transaction without sending it, always the same for the same words:

          KIND                   create, add-storage, add-immutable-storage, reduce-storage, make-immutable,
                                 request-delete, unmark-delete, claim-stake, refresh-stake, rename; or the program's name
          --owner-seed-file FILE the owner's seed: 64 hex digits, or 32 bytes (or --keypair FILE)
          --blockhash BASE58     the blockhash
          --counter N            which account of the owner's (0), or --account BASE58
          --name TEXT            create, rename
          --bytes N              create, add-storage, add-immutable-storage, reduce-storage
          --used N               reduce-storage, make-immutable
          --compute-units N, --compute-price N

        See aquifer --help for the options that go everywhere.
        """

    private static let audio = """
        Usage: aquifer audio list [QUERY] [OPTION]…
               aquifer audio get ID -o FILE [OPTION]…
               aquifer audio post FILE --title TEXT [--author TEXT] [--later] [OPTION]…

        list  the clips; offline those saved in the last seven days
        get   a clip's sound; what was cut is gone on with, and what is there is not fetched again
        post  posts a clip now and prints its ID

          -o FILE        where the sound goes; - is standard output
          --title TEXT   what the clip is called, at most 200 characters
          --author TEXT  whose it is
          --later        keep it in the outbox, to be posted once as soon as there is a connection; prints the item's ID

        See aquifer --help for the options that go everywhere.
        """

    private static let outbox = """
        Usage: aquifer outbox list [OPTION]…
               aquifer outbox send [OPTION]…
               aquifer outbox retry ID [OPTION]…
               aquifer outbox discard ID [OPTION]…

        list     what waits to be sent, in its order
        send     sends what can be sent now
        retry    tries an item again now, with the same key: a server that has it already does not take it twice
        discard  takes an item out of the outbox for good

        Exit: 0 nothing is left to be sent; 65 the server refused something; 69 something waits for the server.
        See aquifer --help for the options that go everywhere.
        """

    private static let payments = """
        Usage: aquifer payments list [OPTION]…
               aquifer payments check ID [OPTION]…
               aquifer payments retry ID [--cvv-stdin] [OPTION]…

        list   what was paid, the latest first
        check  asks what became of a payment that was not answered, without making it
        retry  sends a payment that was not answered again, with the same key: it is charged once

          --cvv-stdin  read the security code from standard input

        See aquifer --help for the options that go everywhere.
        """
}
