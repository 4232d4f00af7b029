import Foundation
import Payments

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Troubles that can only be had by a whole process: no room, no permission. Each prints what the vault said.
enum Faults {
    /// Files of this process may not grow beyond 300 bytes: what a full disk looks like, without filling one.
    static func full(_ path: String) async throws {
        let vault = Plan.open(path)
        for number in 1...10 { try await vault.add(try Plan.card(number)) }
        signal(SIGXFSZ, SIG_IGN)
        // The key file still fits, the vault does not.
        var limit = rlimit(rlim_cur: 300, rlim_max: 300)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        await say("add") { try await vault.add(try Plan.card(11)) }
        await say("remove") { _ = try await vault.remove(Plan.id(1)) }
        await say("rotate") { try await vault.rotateKey() }
        try await sayCards(Plan.open(path))
    }

    /// As a user who may read the vault and not write it.
    static func readOnly(_ path: String) async throws {
        if getuid() == 0 {
            guard setgid(65534) == 0, setuid(65534) == 0 else { throw Usage(message: "cannot become nobody") }
        }
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
        do {
            try await operation()
            print("\(attempt): done")
        } catch VaultError.full {
            print("\(attempt): full")
        } catch VaultError.readOnly {
            print("\(attempt): read-only")
        } catch {
            print("\(attempt): \(error)")
        }
    }
}
