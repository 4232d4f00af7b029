import App

@main
enum Main {
    static func main() async {
        StandardFiles.prepare()
        CrashPrivacy.begin()
        let console = Console()
        let status = await CommandProgram.run(Array(CommandLine.arguments.dropFirst()), console)
        console.exit(console.finish(status))
    }
}
