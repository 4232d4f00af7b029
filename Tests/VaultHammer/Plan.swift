import Foundation
import Hammer
import Payments

/// The plan that parent and workers share.
enum Plan {
    static func open(_ path: String) -> CardVault {
        let place = URL(fileURLWithPath: path)
        return CardVault(
            directory: place.appendingPathComponent("vault"), keys: place.appendingPathComponent("keys"),
            patience: .seconds(30))
    }

    /// A card of which everything follows from `number`.
    static func card(_ number: Int) throws -> Card {
        let body = "4" + String(repeating: "0", count: 14 - "\(number)".count) + "\(number)"
        for digit in 0...9 {
            // The one check digit that fits.
            guard let checked = try? CardNumber(body + "\(digit)") else { continue }
            return Card(
                id: id(number), number: checked, holder: "Holder of \(number)",
                expiry: Expiry(month: number % 12 + 1, year: 2030 + number % 10))
        }
        throw Trouble("no card for \(number)")
    }

    static func id(_ number: Int) -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: UInt64(number).bigEndian) { bytes.replaceSubrange(8..., with: $0) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
