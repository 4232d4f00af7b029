import Aquifer
import AquiferFoundation

/// An entry as the server keeps it: a head of 40 bytes, and the sealed entry.
///
/// The head is the generation of the entry's part (16 bytes), a mark that differs for each write (16), and a checksum of both with the
/// key (8). An entry of an ended generation is missing. A damaged head is damage, and never a missing entry.
enum Value {
    static let headLength = 40
    static let generationLength = 16

    /// A value that is there.
    struct Found {
        /// The head, as it is.
        let head: Data
        let entry: Result<StoredEntry, StoreError>
    }

    /// 16 random bytes.
    static func token() -> Data {
        // Each draw asks the system: two are enough.
        withUnsafeBytes(of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))) { Data($0) }
    }

    static func make(_ entry: StoredEntry, _ key: String, generation: Data, mark: Data) throws(StoreError) -> Data {
        let sealed = try EntryCoding.head(of: entry, key: key)
        var value = Data(capacity: headLength + sealed.count + entry.bytes.count)
        value += generation + mark
        value += check(value, key)
        value += sealed
        value += entry.bytes
        return value
    }

    /// Reads a value; `nil` if it is of an ended generation.
    static func read(_ value: Data, _ key: String, generation: Data?) -> Found? {
        let head = Data(value.prefix(headLength))
        guard isWhole(head, key) else {
            return Found(head: head, entry: .failure(.unreadable(key: key, reason: "its head is damaged")))
        }
        guard head.prefix(generationLength) == generation else { return nil }
        let sealed = SealedEntry(data: value.dropFirst(headLength))
        return Found(head: head, entry: Result { () throws(StoreError) in try sealed.entry(for: key) })
    }

    /// The summary in the beginning of a value; `nil` if it is of an ended generation.
    ///
    /// - Parameter length: the length of the whole value.
    static func summary(
        _ value: Data, length: Int, _ key: String, generation: Data?
    ) throws(SealedEntry.Damage) -> StoredEntry.Summary? {
        let head = Data(value.prefix(headLength))
        guard isWhole(head, key) else { throw SealedEntry.Damage("its head is damaged") }
        guard head.prefix(generationLength) == generation else { return nil }
        let sealed = Data(value.dropFirst(headLength))
        let found = try sealed.withUnsafeBytes { raw in
            Result { () throws(SealedEntry.Damage) in
                let lengths = try EntryCoding.lengths(raw, fileSize: length - headLength)
                guard lengths.head <= raw.count else {
                    throw SealedEntry.Damage("shorter or longer than its header says")
                }
                return try EntryCoding.head(UnsafeRawBufferPointer(rebasing: raw[..<lengths.head]), lengths)
            }
        }.get()
        guard found.summary.key.utf8.elementsEqual(key.utf8) else { throw SealedEntry.Damage("it is another key's") }
        return found.summary
    }

    /// True if the beginning of a longer value does not have its whole header.
    static func needsMore(_ value: Data) -> Bool {
        Data(value.dropFirst(headLength)).withUnsafeBytes { raw in
            // A header that cannot be read is damage, whatever follows.
            guard let lengths = try? EntryCoding.lengths(raw, fileSize: nil) else { return false }
            return lengths.head > raw.count
        }
    }

    private static func isWhole(_ head: Data, _ key: String) -> Bool {
        head.count == headLength && check(head.prefix(headLength - 8), key) == head.suffix(8)
    }

    private static func check(_ bytes: Data, _ key: String) -> Data {
        let sum = bytes.withUnsafeBytes { Checksum.xxh64($0, seed: Checksum.xxh64(key)) }
        return withUnsafeBytes(of: sum.littleEndian) { Data($0) }
    }
}

/// The names of the server's keys.
struct RedisNames: Sendable {
    /// The beginning of all of them.
    let prefix: String

    func entry(_ key: String) -> Data { Data("\(prefix):e:".utf8) + Data(key.utf8) }

    /// The generation of the part of the store that a key is in: of its scope, or of all that are in none.
    func generation(of key: String) -> Data { Data("\(prefix):g:".utf8) + Data((ScopeKeys.part(of: key) ?? "").utf8) }

    var channel: String { "\(prefix):changes" }
    /// The channel of the ends of leases.
    var leaseChannel: String { "\(prefix):lease-ends" }

    /// The place of a value that is not an entry yet, for at most a minute.
    func waiting(_ mark: Data) -> Data { Data("\(prefix):t:\(mark.hexadecimal)".utf8) }

    func lease(_ key: String) -> Data { Data("\(prefix):l:".utf8) + Data(key.utf8) }
    func savedLoad(_ key: String) -> Data { Data("\(prefix):s:".utf8) + Data(key.utf8) }
    var lastLease: Data { Data("\(prefix):n".utf8) }

    /// The key of an entry with this name.
    func key(_ name: Data) -> String? {
        let beginning = Data("\(prefix):e:".utf8)
        return name.starts(with: beginning) ? String(validating: name.dropFirst(beginning.count), as: UTF8.self) : nil
    }

    /// The pattern of the names of the entries whose keys begin with a prefix.
    func pattern(_ keys: String) -> Data {
        var pattern = Data()
        for byte in entry(keys) {
            if "*?[]\\^-".utf8.contains(byte) { pattern.append(UInt8(ascii: "\\")) }
            pattern.append(byte)
        }
        return pattern + Data("*".utf8)
    }
}
