import Foundation
import ReferenceAPIs
import Testing

@testable import AquiferCLI

@Suite("The words of a command line")
struct ArgumentsTests {
    private let text = ValueOption("--text", takes: "TEXT", .text, help: "a text")
    private let file = ValueOption("-o", "--output", takes: "FILE", .file, help: "a file")
    private let pair = ValueOption("--pair", takes: "X=Y", .text, help: "a pair")
    private let json = Flag("--json", help: "a flag")
    private let all = Flag("--all", help: "another flag")

    private func parse(_ words: String...) throws(CommandError) -> Arguments {
        try Arguments(words, knowing: finder([text, file, pair].map(\.declaration) + [json, all].map(\.declaration)))
    }

    @Test("Options stand anywhere, with = or without")
    func options() throws {
        let arguments = try parse("feed", "--text=/a=b", "list", "--json", "-o", "-", "--pair", "x=1", "--pair=y=2")
        #expect(arguments.words == ["feed", "list"])
        #expect(try arguments.value(text) == "/a=b")
        #expect(try arguments.value(file) == "-")
        #expect(try arguments.all(pair) == ["x=1", "y=2"])
        #expect(arguments.has(json) && !arguments.has(all))
    }

    @Test("An option has the same value under each of its names, and the last one counts")
    func names() throws {
        #expect(try parse("-o", "a", "--output", "b").value(file) == "b")
        #expect(try parse("--output=b", "-o", "a").value(file) == "a")
    }

    @Test("A wrong value is a mistake, though a later one is right")
    func earlierValues() throws {
        let limit = ValueOption("--limit", takes: "N", .count, help: "a number")
        let arguments = try Arguments(["--limit", "x", "--limit", "1"], knowing: finder([limit.declaration]))
        let error = #expect(throws: CommandError.self) { try arguments.value(limit) }
        #expect(error?.message == "--limit takes a number from 1, not \"x\"; see aquifer --help")
    }

    @Test("Two dashes end the options")
    func dashes() throws {
        #expect(try parse("--json", "--", "--all", "-x").words == ["--all", "-x"])
    }

    @Test("A negative number is a word, not an option", arguments: ["-5", "-0,50", "-.5", "-5MB", "-1.5"])
    func negativeNumbers(number: String) throws {
        #expect(try parse("@x", number, "--json").words == ["@x", number])
    }

    @Test(
        "What is not understood is said, with the way to the help",
        arguments: [
            (["--frob"], "--frob is not an option; see aquifer --help"),
            (["--data"], "--data needs a value; see aquifer --help"),
            (["--json=yes"], "--json takes no value; see aquifer --help"),
        ])
    func mistakes(words: [String], message: String) {
        do throws(CommandError) {
            _ = try Arguments(words, knowing: finder([Options.data.declaration, Options.json.declaration]))
            Issue.record("understood")
        } catch {
            #expect(error.status == .usage && error.message == message)
        }
    }
}

@Suite("--at")
struct TimeOptionTests {
    private let now = Date(timeIntervalSince1970: 1_780_000_000)

    @Test(
        "Takes a moment, or a distance from now",
        arguments: [
            ("+8d", 691_200), ("-1h", -3_600), ("+90s", 90), ("-2w", -1_209_600), ("+1.5d", 129_600), ("+0m", 0),
            ("2026-05-28T20:26:40Z", 0), ("2026-05-28T20:27:40+00:00", 60),
        ] as [(String, TimeInterval)])
    func times(text: String, offset: TimeInterval) {
        #expect(TimeOption(text)?.offset(from: now) == offset)
    }

    @Test(
        "Takes nothing else",
        arguments: [
            "2026-02-30T00:00:00Z", "2026-01-01T25:61:61Z", "2026-01-01T00:00:00Zfoo<b>", "99999-01-01T00:00:00Z", "",
            "8d", "+d", "+8", "+8y", "tomorrow", "+-8d", "+nand", "+infd", "+1e99d",
        ])
    func nonsense(text: String) {
        #expect(TimeOption(text) == nil)
    }
}

@Suite("The options that go everywhere")
struct GlobalOptionsTests {
    private func options(_ words: String...) throws(CommandError) -> GlobalOptions {
        try GlobalOptions(Arguments(words))
    }

    private func message(_ words: String...) -> String? {
        do throws(CommandError) {
            _ = try GlobalOptions(Arguments(words))
            return nil
        } catch { return error.status == .usage ? error.message : "\(error.status)" }
    }

    @Test("Become the configuration")
    func configuration() throws {
        let options = try options(
            "--data", "/d", "--remote", "feed=http://127.0.0.1:1/x", "--fault", "feed=slow", "--offline", "--json",
            "--quiet")
        #expect(options.configuration.data.path() == "/d/")
        #expect(options.configuration.remotes[.feed]?.absoluteString == "http://127.0.0.1:1/x")
        #expect(options.configuration.faults == [.feed: .slow])
        #expect(options.configuration.offline && options.json && options.quiet)
    }

    @Test("Say what was wrong and what would be right")
    func mistakes() {
        let remotes = ReferenceRemote.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(remotes.contains("feed") && remotes.contains("audio"))
        #expect(
            message("--remote", "feed")
                == "--remote takes NAME=URL, with a name of \(remotes), not \"feed\"; see aquifer --help")
        #expect(
            message("--remote", "x=http://a")
                == "--remote takes NAME=URL, with a name of \(remotes), not \"x=http://a\"; see aquifer --help"
        )
        #expect(
            message("--remote", "feed=file:///etc")
                == "--remote takes an http or https address, not \"file:///etc\"; see aquifer --help")
        #expect(
            message("--at", "soon")
                == "--at takes a time such as 2026-11-21T09:00:00Z, +8d or -1h, not \"soon\"; see aquifer --help")
        #expect(
            message("--fault", "feed=fire")
                == "--fault takes REMOTE=FAULT (remotes: \(remotes); faults: \(Fault.forms.joined(separator: ", "))), not \"feed=fire\"; see aquifer --help"
        )
        for option in ["--rpc", "--drive-url", "--files-url"] {
            #expect(
                message(option, "http://user:secretpw@a.example")
                    == "\(option): an address must have no name and no password, because addresses are saved and printed"
            )
        }
        #expect(
            message("--remote", "feed=http://user@a.example")?.hasPrefix("--remote: an address must have no name")
                == true)
        #expect(message("--keypair", "") == "--keypair needs a file; see aquifer --help")
        #expect(message("--at", "+999999w") == "--at takes a time in the years 0000 to 9999; see aquifer --help")
        #expect(message("--data", "") == "--data needs a folder; see aquifer --help")
    }
}

/// Finds an option among these.
private func finder(_ options: [OptionDeclaration]) -> (String) -> OptionDeclaration? {
    { name in options.first { $0.names.contains(name) } }
}
