import App

@main
enum Main {
    static func main() async {
        StandardFiles.prepare()
        CrashPrivacy.begin()
        let console = Console()
        let words = Array(CommandLine.arguments.dropFirst())
        let status = await CommandProgram.run(words, damaged: damagedWord(), console)
        console.exit(console.finish(status))
    }

    /// The place of the first word that is not UTF-8, from 1; `nil` if there is none.
    ///
    /// `CommandLine.arguments` has other bytes in its place, so that two names of files could become one.
    private static func damagedWord() -> Int? {
        (1..<max(1, Int(CommandLine.argc))).first { place in
            CommandLine.unsafeArgv[place].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}
