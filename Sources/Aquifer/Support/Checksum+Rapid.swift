extension Checksum {
    /// rapidhash, version 1 (github.com/Nicoshev/rapidhash), for more than 16 bytes. It is twice as fast as XXH64
    /// without guaranteed vector instructions; XXH64 would take half the time of retrieving 64 KB.
    ///
    /// Like XXH64 it detects accidental damage, not forgery. The specification's formulas for fewer bytes are not
    /// implemented.
    package static func rapid(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        precondition(bytes.count > 16, "rapidhash's form for few bytes is not here")
        guard var at = bytes.baseAddress else { return 0 }
        let count = UInt64(bytes.count)
        var left = bytes.count
        var hash = seed ^ mix(seed ^ secret0, secret1) ^ count
        if left > 48 {
            var (second, third) = (hash, hash)
            repeat {
                hash = mix(word(at) ^ secret0, word(at + 8) ^ hash)
                second = mix(word(at + 16) ^ secret1, word(at + 24) ^ second)
                third = mix(word(at + 32) ^ secret2, word(at + 40) ^ third)
                at += 48
                left -= 48
            } while left >= 48
            hash ^= second ^ third
        }
        if left > 16 { hash = mix(word(at) ^ secret2, word(at + 8) ^ hash ^ secret1) }
        if left > 32 { hash = mix(word(at + 16) ^ secret2, word(at + 24) ^ hash) }
        let end = at + left
        let last = (word(end - 16) ^ secret1).multipliedFullWidth(by: word(end - 8) ^ hash)
        return mix(last.low ^ secret0 ^ count, last.high ^ secret1)
    }

    private static let secret0: UInt64 = 0x2D35_8DCC_AA6C_78A5
    private static let secret1: UInt64 = 0x8BB8_4B93_962E_ACC9
    private static let secret2: UInt64 = 0x4B33_A62E_D433_D4A3

    @inline(__always)
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.low ^ product.high
    }
}
