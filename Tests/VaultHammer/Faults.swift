import AquiferPayments
import Foundation
import Hammer

/// The faults of the system. Each function prints the vault's answers.
enum Faults {
    /// With room for 300 bytes in each file: the key still fits, the vault does not.
    static func full(_ path: String) async throws {
        let vault = Plan.open(path)
        for number in 1...10 { try await vault.add(try Plan.card(number)) }
        Straits.limitFiles(to: 300)
        await say("add") { try await vault.add(try Plan.card(11)) }
        await say("remove") { _ = try await vault.remove(Plan.id(1)) }
        await say("rotate") { try await vault.rotateKey() }
        try await sayCards(Plan.open(path))
    }

    /// The user may read the vault and not write it.
    static func readOnly(_ path: String) async throws {
        try Straits.becomeNobody()
        let vault = Plan.open(path)
        await say("add") { try await vault.add(try Plan.card(11)) }
        await say("remove") { _ = try await vault.remove(Plan.id(1)) }
        await say("rotate") { try await vault.rotateKey() }
        try await sayCards(vault)
    }

    private static func sayCards(_ vault: CardVault) async throws {
        let expected = Set((1...10).map(Plan.id))
        print("cards: \(try await Set(vault.cards().map(\.id)) == expected ? "all there" : "gone")")
    }

    private static func say(_ attempt: String, _ operation: () async throws -> Void) async {
        await Straits.say(attempt, name: name, operation)
    }

    private static func name(_ error: any Error) -> String {
        switch error {
        case VaultError.full: "full"
        case VaultError.readOnly: "read-only"
        default: "\(error)"
        }
    }
}
