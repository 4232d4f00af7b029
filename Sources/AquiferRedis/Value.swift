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

    /// All that is before an entry's bytes.
    static func head(of entry: StoredEntry, _ key: String, generation: Data, mark: Data) throws(StoreError) -> Data {
        let sealed = try EntryCoding.head(of: entry, key: key)
        var value = Data(capacity: headLength + sealed.count)
        value += generation
        value += mark
        let sum = value.withUnsafeBytes { check($0, key) }
        withUnsafeBytes(of: sum.littleEndian) { value.append(contentsOf: $0) }
        value += sealed
        return value
    }

    /// The number of bytes before those of the entry in a value; `nil` if that cannot be told.
    static func lengthBeforeBytes(_ value: UnsafeRawBufferPointer) -> Int? {
        guard value.count > headLength else { return nil }
        let sealed = UnsafeRawBufferPointer(rebasing: value[headLength...])
        // The reason is told when the value is read.
        guard let lengths = try? EntryCoding.lengths(sealed, fileSize: sealed.count) else { return nil }
        return headLength + lengths.head
    }

    /// Reads a value; `nil` if there is none, or one of an ended generation.
    static func read(_ reply: Reply, _ key: String, generation: Data?) -> Found? {
        guard case .value(let before, let bytes) = reply else {
            return reply.data.flatMap { read($0, key, generation: generation) }
        }
        let head = before.prefix(headLength)
        guard isWhole(head, key) else { return damaged(head, key) }
        guard head.prefix(generationLength) == generation else { return nil }
        return Found(
            head: Data(head), entry: Result { () throws(StoreError) in try entry(before, bytes, for: key) })
    }

    private static func entry(_ before: Data, _ bytes: Data, for key: String) throws(StoreError) -> StoredEntry {
        do throws(SealedEntry.Damage) {
            let head = try before.withUnsafeBytes { raw in
                Result { () throws(SealedEntry.Damage) in
                    let sealed = UnsafeRawBufferPointer(rebasing: raw[headLength...])
                    return try EntryCoding.head(
                        sealed, try EntryCoding.lengths(sealed, fileSize: sealed.count + bytes.count))
                }
            }.get()
            guard head.summary.key.utf8.elementsEqual(key.utf8) else {
                throw SealedEntry.Damage("it is another key's")
            }
            return try head.entry(bytes)
        } catch { throw error.error(key) }
    }

    private static func damaged(_ head: Data, _ key: String) -> Found {
        Found(head: Data(head), entry: .failure(.unreadable(key: key, reason: "its head is damaged")))
    }

    /// Reads a value whose parts could not be told.
    private static func read(_ value: Data, _ key: String, generation: Data?) -> Found? {
        let head = Data(value.prefix(headLength))
        guard isWhole(head, key) else { return damaged(head, key) }
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
        head.count == headLength
            && head.withUnsafeBytes { bytes in
                let sum = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: headLength - 8, as: UInt64.self))
                return check(UnsafeRawBufferPointer(rebasing: bytes[..<(headLength - 8)]), key) == sum
            }
    }

    private static func check(_ bytes: UnsafeRawBufferPointer, _ key: String) -> UInt64 {
        Checksum.xxh64(bytes, seed: Checksum.xxh64(key))
    }
}

/// The names of the server's keys.
struct RedisNames: Sendable {
    /// The beginning of all of them.
    let prefix: String
    private let entries: String
    private let generations: String
    /// The channel of changes.
    let channel: String

    init(prefix: String) {
        self.prefix = prefix
        (entries, generations, channel) = ("\(prefix):e:", "\(prefix):g:", "\(prefix):changes")
    }

    func entry(_ key: String) -> Data { Data(entries.utf8) + Data(key.utf8) }

    /// The part of the store that a key is in: its scope, or all that are in none.
    static func part(of key: String) -> String { ScopeKeys.part(of: key) ?? "" }

    /// The generation of the part of the store that a key is in.
    func generation(of key: String) -> Data { Data("\(prefix):g:\(Self.part(of: key))".utf8) }

    // The same names, as words of a command.
    func generation(ofPart part: String) -> Command.Word { .name(generations, key: part) }
    func word(_ key: String) -> Command.Word { .name(entries, key: key) }

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
