import AquiferFoundation

/// Checksums of the blocks of a file, so that any part of it can be verified without reading the whole file.
enum BlockSum {
    /// The length of a block in bytes; the last block of a file may be shorter.
    static let size = 256 << 10

    /// Each download has its own seed: a block of another download, or of its earlier bytes, is detected as damage.
    static func seed(url: String, generation: UInt64) -> UInt64 { Checksum.xxh64(url, seed: generation) }

    static func of(_ bytes: UnsafeRawBufferPointer, _ index: Int, seed: UInt64) -> UInt64 {
        let seed = seed &+ UInt64(index)
        return bytes.count > 16 ? Checksum.rapid(bytes, seed: seed) : Checksum.xxh64(bytes, seed: seed)
    }

    static func count(_ length: Int) -> Int { length / size + (length % size == 0 ? 0 : 1) }
}

/// The record beside the bytes of a download: their origin and their checksums.
///
/// Its file holds the checksum of the head (8 bytes), the length of the head (4), the head, and the sums (8 bytes
/// each), little-endian. The head of a complete download also holds a checksum of the sums; the sums of a growing
/// download are appended.
struct DownloadRecord: Sendable {
    var url: String
    /// The number of the URL's data file. It grows with each start from the first byte.
    var generation: UInt64
    var validators: Validators
    /// The value for `If-Range`; `nil` when the server gave none, so that the download cannot resume.
    var resumeTag: String?
    var mediaType: String?
    /// The fields of the answer that began a growing download: what is judged when it resumes. A complete one has none.
    var fields: [HTTPHeaders.Field] = []
    /// The length of the complete file in bytes, once it is known.
    var total: Int?
    /// The date when a server last confirmed the download.
    var stamp: Date
    /// The length and checksum of the bytes after the last whole block; known when the transfer ended in order.
    var tail: (length: Int, sum: UInt64)?
    /// The checksum of each block; for an unfinished download, of each whole block.
    var sums: [UInt64] = []

    /// The name of the field with the address that answered, where a redirect had led to it. No server can send it.
    static let place = ":url"

    /// True if an answer from this address may confirm the tag: it says nothing of what is elsewhere (RFC 9110, 8.8.1). Links that are signed have
    /// another query each time, so an entity tag counts without it.
    func isTagged(at url: URL) -> Bool {
        let (own, other) = (fields.first { $0.name == Self.place }?.value ?? self.url, url.absoluteString)
        guard resumeTag?.hasPrefix("\"") == true else { return own == other }
        return own.prefix { $0 != "?" } == other.prefix { $0 != "?" }
    }

    var seed: UInt64 { BlockSum.seed(url: url, generation: generation) }

    /// Encodes the record of a complete download, or the start of the journal of a growing one.
    func encoded(isWhole: Bool) -> (bytes: Data, headLength: Int) {
        let sums = self.sums.withUnsafeBytes { Data($0) }
        let head = BinaryWriter.encode(Head(record: self, sumsSeal: isWhole ? Self.seal(sums) : 0))
        var bytes = Data(capacity: 12 + head.count + sums.count)
        append(Self.seal(head), to: &bytes)
        append(UInt32(head.count), to: &bytes)
        bytes.append(head)
        bytes.append(sums)
        return (bytes, 12 + head.count)
    }

    /// - Throws: ``BinaryReader/Failure`` when the bytes are not a record as it was written.
    static func decoded(_ bytes: Data, isWhole: Bool) throws(BinaryReader.Failure) -> DownloadRecord {
        guard bytes.count >= 12 else { throw BinaryReader.Failure("too short for a record") }
        let length = Int(load(UInt32.self, bytes, 8))
        guard length <= bytes.count - 12 else { throw BinaryReader.Failure("shorter than it says") }
        let head = bytes.subdata(in: 12..<(12 + length))
        guard seal(head) == load(UInt64.self, bytes, 0) else { throw BinaryReader.Failure("its checksum is wrong") }
        let read: Head = try BinaryReader.decode(head)
        var record = read.record
        let sums = bytes.subdata(in: (12 + length)..<bytes.count)
        record.sums = (0..<(sums.count / 8)).map { load(UInt64.self, sums, $0 * 8) }
        if isWhole {
            guard seal(sums) == read.sumsSeal, let total = record.total, record.sums.count == BlockSum.count(total)
            else { throw BinaryReader.Failure("its sums are damaged") }
        }
        return record
    }

    private func append<T: FixedWidthInteger>(_ value: T, to data: inout Data) {
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }

    private static func seal(_ bytes: Data) -> UInt64 { bytes.withUnsafeBytes { Checksum.xxh64($0) } }

    private static func load<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, _ data: Data, _ at: Int) -> T {
        data.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: T.self)) }
    }
}

/// The part of a record that is written once.
private struct Head: BinaryCodable {
    static let format: UInt8 = 2
    var record: DownloadRecord
    var sumsSeal: UInt64

    init(record: DownloadRecord, sumsSeal: UInt64) {
        self.record = record
        self.sumsSeal = sumsSeal
    }

    init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        let url = try reader.string()
        let generation = try reader.uint()
        let validators = Validators(etag: try reader.optionalString(), lastModified: try reader.optionalString())
        let resumeTag = try reader.optionalString()
        guard validators == validators.fitToSend, resumeTag?.canBeSentBack ?? true else {
            throw BinaryReader.Failure("a validator that cannot be sent")
        }
        let mediaType = try reader.optionalString()
        let total = try reader.uint()
        let stamp = try reader.date()
        let tail = (length: try reader.uint(), sum: try reader.uint())
        // 0 means that the total is not known.
        let whole = total == 0 ? nil : Int(exactly: total - 1)
        guard total == 0 || whole != nil, tail.length < UInt64(BlockSum.size) else {
            throw BinaryReader.Failure("a length that cannot be")
        }
        record = DownloadRecord(
            url: url, generation: generation, validators: validators, resumeTag: resumeTag, mediaType: mediaType,
            total: whole, stamp: stamp,
            tail: tail.length == 0 ? nil : (Int(tail.length), tail.sum))
        sumsSeal = try reader.uint()
        record.fields = try reader.array(of: KeptField.self).map(\.field)
    }

    func write(to writer: inout BinaryWriter) {
        writer.write(record.url)
        writer.write(record.generation)
        writer.write(record.validators.etag)
        writer.write(record.validators.lastModified)
        writer.write(record.resumeTag)
        writer.write(record.mediaType)
        writer.write(record.total.map { UInt64(clamping: $0) + 1 } ?? 0)
        writer.write(record.stamp)
        writer.write(UInt64(record.tail?.length ?? 0))
        writer.write(record.tail?.sum ?? 0)
        writer.write(sumsSeal)
        writer.write(record.fields.map(KeptField.init))
    }
}

/// A header field of an answer.
private struct KeptField: BinaryCodable {
    static let format: UInt8 = 1
    var field: HTTPHeaders.Field

    init(_ field: HTTPHeaders.Field) { self.field = field }

    init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        field = HTTPHeaders.Field(try reader.string(), try reader.string())
    }

    func write(to writer: inout BinaryWriter) {
        writer.write(field.name)
        writer.write(field.value)
    }
}
