import AquiferWording
import Foundation

extension Language {
    /// A number of bytes in words: `1,2 MB`.
    func size(_ bytes: UInt64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let digits = unit == 0 || value >= 99.95 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
        return number(digits) + "\u{a0}" + units[unit]
    }
}
