import AquiferSolana
import EveryBit
import Foundation
import Testing

/// Every bit and every length of a key file in Solana's form.
@Suite("Each bit flipped and each length cut, in a key file", .timeLimit(.minutes(60)))
struct EveryBitOfKeysTests {
    @Test("its error or the key, and the file is never replaced")
    func keyFile() async throws {
        try await Fixture.withFolder { folder in
            let file = folder.appendingPathComponent("id.json")
            let keypair = try Keypair(seed: Data(repeating: 7, count: 32))
            try keypair.write(to: file)
            let message = Data("a message".utf8)
            let signature = keypair.sign(message)
            let fixture = try Fixture(folder)
            let sweep = try await Sweep("Key file (Solana's form)", "id.json", of: fixture) { _ in
                // A damaged file is in the place of a new one, too.
                let isKept = (try? Keypair(seed: Data(repeating: 8, count: 32)).write(to: file)) == nil
                guard isKept else { return .wrong("a new key was written over it") }
                do throws(KeypairError) {
                    let found = try Keypair(contentsOf: file)
                    return found == keypair && found.sign(message) == signature ? .unchanged : .wrong("another key")
                } catch {
                    switch error {
                    case .notAKey: return .told("notAKey")
                    case .wrongLength: return .told("wrongLength")
                    case .mismatch: return .told("mismatch")
                    case .empty: return .told("empty")
                    default: return .wrong("\(error)")
                    }
                }
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    }
}
