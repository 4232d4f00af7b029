import AquiferFoundation

/// The file format of ``FileStore`` for an entry: a header of 56 bytes, the key, the validators, the bytes.
///
/// | at | what (little-endian) |
/// |----|------|
/// | 0  | `AQFE` |
/// | 4  | form (4), kind, flags, zero |
/// | 8  | lengths of key, ETag and Last-Modified, 4 bytes each |
/// | 20 | zero, 4 bytes |
/// | 24 | saved at: the bits of the seconds since 2001 |
/// | 32 | length of the bytes |
/// | 40 | checksum of the header, see ``EntrySeal`` |
/// | 48 | checksum of the bytes |
///
/// An entry with an origin has 16 more bytes after the 56, with the dates of its request and of its answer. The dates of its word
/// about when to ask (``StoredEntry/Asking``) follow, 8 bytes each.
///
/// The flags: 1 ETag, 2 Last-Modified, 4 `Date` of the answer, 8 an origin, 16 the date from which a load asks, 32 the date until
/// which it does so in the background, 64 immutable.
package enum EntryCoding {
    /// The length of the fixed part.
    package static let fixedLength = 56

    private static let magic = UInt32(0x4546_5141)  // "AQFE"
    /// Forms 1 to 3 were written before the first release. This number differs from theirs in more than one bit, so that no flipped
    /// bit makes an entry look like one of them.
    private static let form: UInt8 = 4
    /// The dates of an origin.
    private static let originLength = 16

    /// The reason why bytes are not an entry.
    package typealias Damage = SealedEntry.Damage

    /// The lengths of the parts, read from the fixed part.
    package struct Lengths {
        package let key: Int
        package let etag: Int
        package let lastModified: Int
        package let body: Int
        /// The offset of the key.
        package let keyAt: Int
        /// The length of everything before the bytes.
        package var head: Int { keyAt + key + etag + lastModified }
    }

    /// A verified header.
    package struct Head {
        package let summary: StoredEntry.Summary
        package let origin: StoredEntry.Origin?
        package let asking: StoredEntry.Asking
        package let seal: EntrySeal

        /// The entry with this header, if it was sealed with these bytes.
        package func entry(_ bytes: Data) throws(Damage) -> StoredEntry {
            guard bytes.withUnsafeBytes({ EntrySeal.body($0, header: seal.header) }) == seal.body else {
                throw Damage("the checksum of its bytes is wrong")
            }
            return StoredEntry(
                bytes: bytes, savedAt: summary.savedAt, validators: summary.validators, kind: summary.kind,
                origin: origin, asking: asking)
        }
    }

    /// True if the data begins like an entry.
    package static func isEntry(_ data: Data) -> Bool {
        data.count >= 4 && data.withUnsafeBytes { load(UInt32.self, $0, 0) } == magic
    }

    /// Everything that precedes the bytes of `entry`.
    package static func head(of entry: StoredEntry, key: String) throws(StoreError) -> Data {
        let seal = EntrySeal(entry, key: key)
        let (etag, lastModified) = (entry.validators.etag, entry.validators.lastModified)
        let lengths = [key.utf8.count, etag?.utf8.count ?? 0, lastModified?.utf8.count ?? 0]
        // A cast of the array would ask the runtime about each number.
        let short = lengths.compactMap { UInt32(exactly: $0) }
        guard short.count == lengths.count else {
            throw .failed(operation: "store an entry", reason: "its key or validators are longer than 4 GB")
        }
        let answeredAt = entry.origin?.answeredAt
        let (asking, hasOrigin) = (entry.asking, entry.origin != nil)
        var flags: UInt8 = (etag == nil ? 0 : 1) | (lastModified == nil ? 0 : 2) | (answeredAt == nil ? 0 : 4)
        flags |= (hasOrigin ? 8 : 0) | (asking.askAt == nil ? 0 : 16) | (asking.staleUntil == nil ? 0 : 32)
        flags |= asking.isImmutable ? 64 : 0
        let dates = [asking.askAt, asking.staleUntil].compactMap { $0 }
        // The room is known: what is appended to data piece by piece costs more than the checksums.
        var data = Data(count: fixedLength + (hasOrigin ? originLength : 0) + 8 * dates.count + lengths.reduce(0, +))
        data.withUnsafeMutableBytes { raw in
            var writer = Writer(raw: raw)
            writer.put(magic)
            for byte in [form, entry.kind.rawValue, flags, 0] { writer.put(byte) }
            for length in short { writer.put(length) }
            writer.put(UInt32(0))
            writer.put(entry.savedAt)
            writer.put(UInt64(entry.bytes.count))
            writer.put(seal.header)
            writer.put(seal.body)
            if let origin = entry.origin {
                writer.put(origin.sentAt)
                writer.put(answeredAt ?? origin.sentAt)
            }
            for date in dates { writer.put(date) }
            for text in [key, etag ?? "", lastModified ?? ""] { writer.put(text) }
        }
        return data
    }

    /// Writes one value after the other, little-endian, into room that is as large as all of them.
    private struct Writer {
        let raw: UnsafeMutableRawBufferPointer
        var place = 0

        mutating func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
            raw.storeBytes(of: value.littleEndian, toByteOffset: place, as: T.self)
            place += MemoryLayout<T>.size
        }

        mutating func put(_ date: Date) { put(date.timeIntervalSinceReferenceDate.bitPattern) }

        mutating func put(_ text: String) {
            UnsafeMutableRawBufferPointer(rebasing: raw[place...]).copyBytes(from: text.utf8)
            place += text.utf8.count
        }
    }

    /// The lengths in the fixed part, which must add up to a file of `fileSize` bytes, unless that is `nil`.
    package static func lengths(_ raw: UnsafeRawBufferPointer, fileSize: Int?) throws(Damage) -> Lengths {
        guard raw.count >= fixedLength else { throw Damage("too short for a header") }
        guard load(UInt32.self, raw, 0) == magic else { throw Damage("not an entry of Aquifer's") }
        if (1..<form).contains(raw[4]) { throw Damage(ofEarlierForm: Int(raw[4]), known: Int(form)) }
        guard raw[4] == form, raw[7] == 0, load(UInt32.self, raw, 20) == 0 else { throw Damage("unknown form") }
        guard let body = Int(exactly: load(UInt64.self, raw, 32)), body <= fileSize ?? .max else {
            throw Damage("shorter or longer than its header says")
        }
        let lengths = Lengths(
            key: Int(load(UInt32.self, raw, 8)), etag: Int(load(UInt32.self, raw, 12)),
            lastModified: Int(load(UInt32.self, raw, 16)), body: body,
            keyAt: askingAt(raw) + (has(16, raw) ? 8 : 0) + (has(32, raw) ? 8 : 0))
        guard fileSize.map({ lengths.head + body == $0 }) ?? true else {
            throw Damage("shorter or longer than its header says")
        }
        return lengths
    }

    /// The header in `raw`, which is `lengths.head` bytes long.
    package static func head(_ raw: UnsafeRawBufferPointer, _ lengths: Lengths) throws(Damage) -> Head {
        guard raw.count == lengths.head, let kind = StoredEntry.Kind(rawValue: raw[5]),
            raw[6] < 128, !has(4, raw) || hasOrigin(raw)
        else { throw Damage("unknown kind") }
        let savedAt = date(raw, 24)
        let asking = StoredEntry.Asking(
            askAt: has(16, raw) ? date(raw, askingAt(raw)) : nil,
            staleUntil: has(32, raw) ? date(raw, lengths.keyAt - 8) : nil, isImmutable: has(64, raw))
        var origin: StoredEntry.Origin?
        if hasOrigin(raw) {
            origin = .init(
                sentAt: date(raw, fixedLength), answeredAt: has(4, raw) ? date(raw, fixedLength + 8) : nil)
        }
        let etagAt = lengths.keyAt + lengths.key
        let lastModifiedAt = etagAt + lengths.etag
        let key = String(decoding: raw[lengths.keyAt..<etagAt], as: UTF8.self)
        let validators = Validators(
            etag: has(1, raw) ? String(decoding: raw[etagAt..<lastModifiedAt], as: UTF8.self) : nil,
            lastModified: has(2, raw) ? String(decoding: raw[lastModifiedAt...], as: UTF8.self) : nil)
        let seal = EntrySeal(header: load(UInt64.self, raw, 40), body: load(UInt64.self, raw, 48))
        let summary = StoredEntry.Summary(
            key: key, size: lengths.body, savedAt: savedAt, validators: validators, kind: kind)
        let expected = EntrySeal.header(
            key: key, savedAt: savedAt, validators: validators, kind: kind, origin: origin, asking: asking,
            size: lengths.body)
        guard seal.header == expected else { throw Damage("the header's checksum is wrong") }
        return Head(summary: summary, origin: origin, asking: asking, seal: seal)
    }

    private static func hasOrigin(_ raw: UnsafeRawBufferPointer) -> Bool { has(8, raw) }

    /// True if an entry has this flag.
    private static func has(_ flag: UInt8, _ raw: UnsafeRawBufferPointer) -> Bool { raw[6] & flag != 0 }

    /// The place of the dates about asking.
    private static func askingAt(_ raw: UnsafeRawBufferPointer) -> Int {
        fixedLength + (hasOrigin(raw) ? originLength : 0)
    }

    private static func date(_ raw: UnsafeRawBufferPointer, _ at: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: load(UInt64.self, raw, at)))
    }

    private static func load<T: FixedWidthInteger & BitwiseCopyable>(
        _: T.Type, _ raw: UnsafeRawBufferPointer, _ at: Int
    ) -> T {
        T(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: T.self))
    }
}
