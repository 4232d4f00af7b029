/// Numbers of bytes as people read them, in units of 1024.
package enum ByteCount {
    /// "512 B", "1.5 MB". One decimal is shown if it is not 0. The pages format their numbers in the same way (`size` in
    /// `i18n.js`).
    package static func text(_ bytes: UInt64) -> String {
        let units = ["B", "KB", "MB", "GB", "TB"]
        var (value, unit) = (Double(bytes), 0)
        while value >= 1023.95, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        let number = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return "\(number) \(units[unit])"
    }
}
