import AquiferPayments
import AquiferTesting
import Foundation
import Hammer

/// Adds and removes cards and rotates the key until it is killed. Tells the parent of each change only after the vault
/// acknowledged it, and of each removal also before.
struct Worker {
    let vault: CardVault
    let writer: Int
    var numbers: SeededNumbers

    mutating func run() async throws {
        var kept: [Int] = []
        var counter = 0
        while true {
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                try await vault.rotateKey()
                try HammerProcess.tell("rotated")
            case 1 where kept.count > 3:
                let number = kept.removeFirst()
                try HammerProcess.tell("removing \(number)")
                guard try await vault.remove(Plan.id(number)) else { throw Trouble("\(number) was lost") }
                try HammerProcess.tell("removed \(number)")
            default:
                counter += 1
                let number = writer * 100_000 + counter
                try await vault.add(try Plan.card(number))
                try HammerProcess.tell("added \(number)")
                kept.append(number)
            }
        }
    }
}
