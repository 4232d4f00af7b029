import AquiferConcurrency

/// The names of requests that no proxy has named: 32 hexadecimal digits, which no other request of any server has.
///
/// A name tells requests apart and protects nothing. Random bits for each would take two calls of the system.
enum RequestName {
    /// A random number of this process.
    private static let process = UInt64.random(in: .min ... .max)
    private static let count = Locked(UInt64.random(in: .min ... .max))

    static func next() -> String {
        let count = count.withLock { count in
            count &+= 0x9e37_79b9_7f4a_7c15
            return count
        }
        return hexadecimal(process, mixed(count))
    }

    /// A number that looks like any other one: two counts never give the same (the last step of SplitMix64).
    private static func mixed(_ count: UInt64) -> UInt64 {
        var number = count
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }

    private static func hexadecimal(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 32) { digits in
            for place in 0..<32 {
                let number = place < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - place % 16 * 4)) & 0xf
                let first = digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10
                digits.initializeElement(at: place, to: first + digit)
            }
            return 32
        }
    }
}
