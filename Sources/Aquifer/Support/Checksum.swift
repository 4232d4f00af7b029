/// XXH64, the 64-bit hash of the public xxHash specification (github.com/Cyan4973/xxHash, `doc/xxhash_spec.md`).
///
/// It detects accidental damage (a flipped bit, a truncated or swapped file), not forgery: it is not cryptographic.
package enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of `bytes`.
    package static func xxh64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        let count = bytes.count
        guard let base = bytes.baseAddress else { return avalanche(seed &+ prime5) }
        var offset = 0
        var hash: UInt64
        if count >= 32 {
            hash = stripes(base, count / 32, seed)
            offset = count & ~31
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(count)
        while offset &+ 8 <= count {
            hash = rotate(hash ^ round(0, word(base + offset)), 27) &* prime1 &+ prime4
            offset &+= 8
        }
        if offset &+ 4 <= count {
            let half = UInt32(littleEndian: (base + offset).loadUnaligned(as: UInt32.self))
            hash = rotate(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < count {
            let byte = (base + offset).loadUnaligned(as: UInt8.self)
            hash = rotate(hash ^ (UInt64(byte) &* prime5), 11) &* prime1
            offset &+= 1
        }
        return avalanche(hash)
    }

    /// The hash of a string's UTF-8 bytes.
    package static func xxh64(_ string: String, seed: UInt64 = 0) -> UInt64 {
        let hash = string.utf8.withContiguousStorageIfAvailable { xxh64(UnsafeRawBufferPointer($0), seed: seed) }
        return hash ?? Array(string.utf8).withUnsafeBytes { xxh64($0, seed: seed) }
    }

    private static func stripes(_ base: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
        var a = seed &+ prime1 &+ prime2
        var b = seed &+ prime2
        var c = seed
        var d = seed &- prime1
        var at = base
        for _ in 0..<count {
            a = round(a, word(at))
            b = round(b, word(at + 8))
            c = round(c, word(at + 16))
            d = round(d, word(at + 24))
            at += 32
        }
        var hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
        hash = merge(hash, a)
        hash = merge(hash, b)
        hash = merge(hash, c)
        return merge(hash, d)
    }

    @inline(__always)
    static func word(_ at: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: at.loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ x: UInt64, _ bits: UInt64) -> UInt64 {
        (x &<< bits) | (x &>> (64 &- bits))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func avalanche(_ hash: UInt64) -> UInt64 {
        var h = hash
        h = (h ^ (h &>> 33)) &* prime2
        h = (h ^ (h &>> 29)) &* prime3
        return h ^ (h &>> 32)
    }
}

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

    /// True if the bytes are the same: eight at a time, which takes less than a hash of them.
    static func areSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let one = one.baseAddress, let place = other.baseAddress else { return true }
        var offset = 0
        while offset &+ 8 <= other.count {
            guard word(one + offset) == word(place + offset) else { return false }
            offset &+= 8
        }
        while offset < other.count {
            guard one.load(fromByteOffset: offset, as: UInt8.self) == other[offset] else { return false }
            offset &+= 1
        }
        return true
    }
}
