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

        Loads the latest and saves it. Without connectivity, shows the saved copy for up to seven days.

        Commands:
          serve                         show all apps in a browser, on this machine
          remotes                       run the reference remotes on a port of their own
          feed list                     list the image feed
          feed comments ID              list the comments on a picture
          feed image ID -o FILE         write a picture to a file
          contacts [QUERY]              list the people you can send money to
          cards COMMAND                 manage your cards, which are kept encrypted
          pay @USERNAME AMOUNT          send money with a card
          payments COMMAND              list your payments, find out what became of one, pay it again
          foaas list | say | random     get a phrase
          audio list | get | post       list, download or post audio clips
          outbox COMMAND                list, send, retry or discard what waits to be sent
          drive COMMAND                 manage storage accounts and files of Shadow Drive
          cache list | validate | clear manage what is saved

        aquifer COMMAND --help tells what a command can do.

        Options, everywhere:
          --data DIR         save data in DIR (otherwise in $XDG_DATA_HOME/aquifer or ~/.local/share/aquifer)
          --remote NAME=URL  use the server at URL for an app (feed, payments, foaas, audio, drive) instead of its
                             reference remote
          --json             print one JSON document
          --offline          act as if there were no network
          --at TIME          act as if it were TIME: 2026-11-21T09:00:00Z, or +8d or -1h from now
          --allow-test-card  accept the payments' test card on a server that is not the reference remote
          --quiet            print errors only, no notes, on standard error
          --help             print this text, or that of a command
          --version          print the version

        Exit codes, of every command:
        \(ExitStatus.table)
        """

    private static let serve = """
        Usage: aquifer serve [--port 8080] [--host 127.0.0.1] [--no-token] [--fault REMOTE=FAULT]… [OPTION]…

        Serves the apps to a browser, and prints the address to open. Press Ctrl-C, or send SIGTERM, to end it.

          --port PORT           the port; 0 for any free one (8080)
          --host HOST           the address to listen on (127.0.0.1: this machine only)
          --no-token            let in everyone who can reach the port, not only those who have the printed address
          --fault REMOTE=FAULT  start with a fault of a reference remote: offline, slow, failing, garbage,
                                cut, answer-lost, cut-at:BYTES

        See aquifer --help for the options that go everywhere.
        """

    private static let remotes = """
        Usage: aquifer remotes [--port 8090] [--host 127.0.0.1] [--fault REMOTE=FAULT]…

        Runs the reference remotes, and prints a NAME=URL for each one, to be given to --remote.

          --port PORT           the port; 0 for any free one (8090)
          --host HOST           the address to listen on (127.0.0.1: this machine only)
          --data FOLDER         keep what is posted to them in FOLDER; without it, it is deleted when they end
          --fault REMOTE=FAULT  make a remote offline, slow, failing, garbage, cut, answer-lost,
                                stale-blockhash or cut-at:BYTES

        The drive remote signs with \(ReferenceAPIs.driveUploader),
        to be given to --uploader. Below its address, /files has its files, and /rpc is its Solana.
        """

    private static let feed = """
        Usage: aquifer feed list [--limit N | --all] [OPTION]…
               aquifer feed comments ID [OPTION]…
               aquifer feed image ID -o FILE [OPTION]…

        list      the newest ten items, the newest N, or all; offline, those saved in the last seven days
        comments  the comments on a picture
        image     writes a picture to FILE, or to standard output with -o -

        FILE is written whole or not at all, and keeps its permissions. A symbolic link stays one: the file that it points
        to is written. A device or a named pipe is written into. This holds for every -o.

        See aquifer --help for the options that go everywhere.
        """

    private static let cache = """
        Usage: aquifer cache list [OPTION]…
               aquifer cache validate [OPTION]…
               aquifer cache clear [KEY] [OPTION]…

        list      what is saved, files and phrases too: whether it is good, when it was saved, its size, its key
        validate  deletes what is expired or damaged, and keeps the rest; payments and the outbox are no part of the cache,
                  and their lists tell what is damaged there
        clear     deletes the entry of KEY; without KEY, everything that can be loaded again: clips that you keep offline,
                  the last phrases and their settings stay

        See aquifer --help for the options that go everywhere.
        """

    private static let contacts = """
        Usage: aquifer contacts [QUERY] [OPTION]…

        Lists the people you can send money to. With QUERY, lists those whose name or user name contains it, in any case
        and with or without accents. Offline, lists those saved in the last seven days.

        See aquifer --help for the options that go everywhere.
        """

    private static let cards = """
        Usage: aquifer cards list [OPTION]…
               aquifer cards add [OPTION]…
               aquifer cards default ID [OPTION]…
               aquifer cards remove ID [OPTION]…
               aquifer cards rotate-key | accept-older | discard-older [OPTION]…

        list           the cards kept, masked, and which one is the default
        add            asks for number (not shown), name and expiry, or reads them from standard input, a line each;
                       the card is the default from then on
        default        makes payments with this card unless told otherwise; the beginning of its ID will do
        remove         deletes a card for good; the beginning of its ID will do
        rotate-key     seals the cards with a new key
        accept-older   uses an older copy of the cards that was put back; cards removed since are in it again
        discard-older  deletes all cards of an older copy that was put back

        A card that is declined is the default no more, if there is another one that can be used.
        The key is kept apart from the data, under $XDG_CONFIG_HOME/aquifer/keys or ~/.config/aquifer/keys.
        See aquifer --help for the options that go everywhere.
        """

    private static let pay = """
        Usage: aquifer pay @USERNAME AMOUNT [--card ID] [--cvv-stdin] [--again] [OPTION]…

        Sends money, once. The security code is asked for on the terminal, is not shown, and is never kept. If no card is
        kept, it is asked for, too. While it is not known whether an earlier payment of this amount to the same person was
        made, the command asks before it sends another one; without a terminal it sends nothing.

          --card ID    pay with this card, not with the default (aquifer cards list shows it)
          --cvv-stdin  read the security code from standard input
          --again      pay once more, whatever became of an earlier payment of this amount to the same person

        Exit: 0 approved; 1 declined, or refused by the server; 64 nothing was sent: an earlier payment like it is not known
        of; 69 not made; 75 not known whether it was made.
        See aquifer --help for the options that go everywhere.
        """

    private static let foaas = """
        Usage: aquifer foaas list [QUERY] [OPTION]…
               aquifer foaas say NAME [KEY=VALUE]… [--unfiltered] [OPTION]…
               aquifer foaas random [--unfiltered] [OPTION]…

        list    the operations, with the keys to fill in
        say     gets the phrase of an operation; NAME is its name or the first word of its path
        random  gets any phrase

          --unfiltered  show the vowels of swear words

        A phrase needs a connection. The list is saved for seven days.
        See aquifer --help for the options that go everywhere.
        """

    private static let drive = """
        Usage: aquifer drive create NAME SIZE [--yes] [OPTION]…
               aquifer drive list | info ACCOUNT | files ACCOUNT [--sizes] | objects ACCOUNT [OPTION]…
               aquifer drive upload ACCOUNT FILE… [--replace] [OPTION]…
               aquifer drive edit ACCOUNT FILE [OPTION]…
               aquifer drive object URL | get URL -o FILE | delete URL [--yes] [OPTION]…
               aquifer drive add-storage ACCOUNT SIZE | reduce-storage ACCOUNT SIZE [--yes] [OPTION]…
               aquifer drive make-immutable ACCOUNT | claim ACCOUNT [--yes] [OPTION]…
               aquifer drive delete-account ACCOUNT | keep-account ACCOUNT [--yes] [OPTION]…
               aquifer drive submit TRANSACTION [--yes] [OPTION]…
               aquifer drive keygen FILE
               aquifer drive transaction KIND OPTION…

        ACCOUNT is an address, or the name of one of yours. SIZE is a number with KB, MB or GB: 10MB, 1.5GB.

          files           the files, offline those of the last seven days; objects asks the server for their names only
          delete-account  has an account deleted with its files, some days later; keep-account takes that back
          claim           takes back the tokens of storage that was given back
          submit          sends a transaction that was signed elsewhere: in base64, or - for standard input

        A change of an account that costs or cannot be undone is asked about on the terminal, with its cost and your balance.

          --yes            do not ask; without a terminal, only create goes on without it
          --keypair FILE   your key, in Solana's form; keygen makes one (else, at the reference remote, the key that the
                           pages have: $XDG_CONFIG_HOME/aquifer/keys/drive.json, made when it is first needed)
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
        post  posts a clip now and prints its ID. It is in the outbox until the server has it: when its answer is lost, the clip
              stays there and is posted once (exit 75). Without a connection nothing is posted or kept (exit 69).

          -o FILE        where the sound goes; - is standard output
          --title TEXT   what the clip is called, at most 200 characters
          --author TEXT  whose it is
          --later        keep it in the outbox, to be posted once as soon as there is a connection; prints the item's ID

        See aquifer --help for the options that go everywhere.
        """

    private static let outbox = """
        Usage: aquifer outbox list [OPTION]…
               aquifer outbox send [--wait] [OPTION]…
               aquifer outbox retry ID [OPTION]…
               aquifer outbox discard ID [OPTION]…

        list     what waits to be sent, in its order
        send     sends what can be sent now, also what waits to be tried again; what a server asked to wait for (Retry-After)
                 goes on waiting
        retry    tries an item again now, with the same key: a server that has it already does not take it twice
        discard  takes an item out of the outbox for good, also one that is damaged; says so if it may have arrived all the same

          --wait  stay until everything was sent or refused, and say how it goes

        Exit: 0 nothing is left to be sent; 1 the server refused something; 66 there is no such item; 75 something is left and
        will be tried again.
        See aquifer --help for the options that go everywhere.
        """

    private static let payments = """
        Usage: aquifer payments list [OPTION]…
               aquifer payments check ID [OPTION]…
               aquifer payments retry ID [--cvv-stdin] [--again] [OPTION]…
               aquifer payments give-up ID [OPTION]…
               aquifer payments discard ID [--yes] [OPTION]…

        list     what was paid, the latest first
        check    asks what became of a payment that was not answered, without making it
        retry    sends a payment that was not answered or not made again, with the same key: it is charged once
        give-up  leaves a payment that was not answered as it is: not known, and no reason to ask before the next one
        discard  removes what is kept of a payment that is damaged and cannot be read, for good: your bank's statement is the
                 only record of it then. One that can be read stays. The ID "unknown" stands for what has none

          --cvv-stdin  read the security code from standard input
          --again      send a payment that was not made, whatever became of a later one like it
          --yes        discard without asking

        Exit: 0 approved; 1 declined, or refused by the server; 69 not made; 74 a payment kept cannot be read;
        75 not known whether it was made.
        See aquifer --help for the options that go everywhere.
        """
}
