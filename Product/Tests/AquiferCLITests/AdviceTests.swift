import AquiferPayments
import AquiferShadowDrive
import Testing

@testable import AquiferCLI

@Suite("The advice on an error")
struct AdviceTests {
    @Test("follows the library's own words, and names the command that helps")
    func messages() {
        for last: UInt64? in [3, nil] {
            let message = CommandError(VaultError.rolledBack(path: "/v", change: 2, last: last)).message
            #expect(message.contains("aquifer cards accept-older"))
            #expect(message.contains("aquifer cards discard-older"))
        }
        #expect(
            CommandError(VaultError.lost(path: "/v")).message
                == "/v, in which cards were kept, is gone; put a copy of it back, or begin without those cards;"
                + " aquifer cards discard-older begins without them")
        #expect(
            CommandError(KeypairError.missing(path: "/k")).message
                == "there is no key file /k; make one, or name another; aquifer drive keygen makes one")
        #expect(
            CommandError(DriveError.noKeypair).message
                == "there is no key to sign with; make one, or name the one you have; aquifer drive keygen makes one,"
                + " --keypair names one")
        #expect(CommandError(DriveError.file(.exists(name: "a"))).message.hasSuffix("; --replace takes its place"))
        #expect(CommandError(VaultError.busy(path: "/v")).message == "\(VaultError.busy(path: "/v"))")
    }

    @Test("names commands and options that exist")
    func commands() throws {
        let advice = [
            Advice.on(VaultError.rolledBack(path: "", change: 1, last: nil)), Advice.on(VaultError.lost(path: "")),
            Advice.on(KeypairError.missing(path: "")), Advice.on(DriveError.noKeypair),
            Advice.on(DriveError.file(.exists(name: ""))), Advice.onDamage(of: "payment:1"),
            Advice.onDamage(of: "item:1"), Advice.onDamage(of: "chosen-card"), Advice.onDamage(of: "feed"),
        ]
        let commands = Set(CommandTable.commands.map(\.name))
        let options = Set(CommandTable.options.flatMap(\.names))
        for text in advice {
            let words = try #require(text).split { " ,;".contains($0) }.map(String.init)
            let named = words.indices.filter { words[$0] == "aquifer" }.map { words[$0 + 1] + " " + words[$0 + 2] }
            let given = words.filter { $0.hasPrefix("--") }
            #expect(!named.isEmpty || !given.isEmpty)
            #expect(commands.isSuperset(of: named) && options.isSuperset(of: given), "\(words)")
        }
    }
}
