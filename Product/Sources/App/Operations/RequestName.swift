import AquiferConcurrency

/// The names of requests that no proxy has named: 32 hexadecimal digits. Two alike are as unlikely as with random bits.
///
/// Random bits take two calls of the system for each name. These names are hashes of a count instead, with a key that only this process
/// has. Nobody who gets some names can tell how many others there are.
enum RequestName {
    /// Keeps names apart where hashes have no random key, as in some tests.
    private static let process = UInt64.random(in: .min ... .max)
    private static let count = Locked(UInt64(0))

    static func next() -> String {
        let number = count.withLock { count in
            count &+= 1
            return count
        }
        return half(number, isFirst: true).hexadecimal + half(number, isFirst: false).hexadecimal
    }

    private static func half(_ number: UInt64, isFirst: Bool) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(process)
        hasher.combine(number)
        hasher.combine(isFirst)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
