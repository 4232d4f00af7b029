import Foundation
import Payments

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
                try tell("rotated")
            case 1 where kept.count > 3:
                let number = kept.removeFirst()
                try tell("removing \(number)")
                guard try await vault.remove(Plan.id(number)) else { throw Usage(message: "\(number) was lost") }
                try tell("removed \(number)")
            default:
                counter += 1
                let number = writer * 100_000 + counter
                try await vault.add(try Plan.card(number))
                try tell("added \(number)")
                kept.append(number)
            }
        }
    }

    private func tell(_ line: String) throws {
        // One write call of less than PIPE_BUF bytes: the parent gets all of a line or none.
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
