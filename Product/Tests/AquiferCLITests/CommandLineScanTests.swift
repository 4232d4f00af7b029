import Testing

@testable import AquiferCLI

@Suite("The parts of any command line")
struct CommandLineScanTests {
    private func prints(_ words: String) -> Bool {
        CommandLineScan(words.split(separator: " ").map(String.init)).printsDocuments
    }

    @Test(
        "Documents are printed if the parser reads --json",
        arguments: [
            "feed list --json", "--json", "frob --json", "audio post /none --title -- --json",
            "feed list --frob --json",
            "feed list --json=true", "feed list --limit --all --json", "feed image X -o - -o /none/x --json",
            "feed list -o - --json", "frob -o - --json", "feed image X -o --json --json",
        ])
    func documents(words: String) {
        #expect(prints(words))
    }

    @Test(
        "No documents are printed without it, or if standard output is the file",
        arguments: [
            "", "feed list", "-- --json", "audio post X --title --json", "feed list --limit --json",
            "feed list --jsonx",
            "feed image X -o - --json", "feed image X --output=- --json", "audio get X -o /x -o - --json",
            "feed image X -o - --frob --json",
        ])
    func noDocuments(words: String) {
        #expect(!prints(words))
    }
}
