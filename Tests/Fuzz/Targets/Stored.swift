import Foundation

@testable import Aquifer
@testable import AquiferImageFeed

extension FuzzTarget {
    /// What the engine writes to disk, and reads again when anything may have happened to it.
    static let stored: [FuzzTarget] = [
        .now("binary-codec") { data in
            // Bytes that are read are those that would be written: each value has one form.
            if let value: EveryField = try? BinaryReader.decode(data) {
                try promise(BinaryWriter.encode(value) == data, "other bytes than those that are written were read")
            }
            if let items: [FeedItem] = try? BinaryReader.decode(data) {
                let again: [FeedItem] = try BinaryReader.decode(BinaryWriter.encode(items))
                try promise(again == items, "the feed's items are others after they were saved")
            }
        },
        .now("entries") { data in
            if let found = readEntry(data) {
                let again = readEntry(try written(found.entry, found.key))
                try promise(again.map { same($0, found) } == true, "an entry is another after it was saved")
            }
            try damageEntry(FuzzInput(data))
        },
        .now("downloads") { data in
            for isWhole in [true, false] {
                try checkRecord(data, isWhole)
                // With the right checksum, so that what is behind it is reached.
                var input = FuzzInput(data)
                let head = input.bytes()
                var file = withUnsafeBytes(of: head.withUnsafeBytes { Checksum.xxh64($0) }.littleEndian) { Data($0) }
                withUnsafeBytes(of: UInt32(head.count).littleEndian) { file.append(contentsOf: $0) }
                try checkRecord(file + head + input.rest, isWhole)
            }
        },
        .now("outbox") { data in
            guard let record = try? JSONDecoder().decode(OutboxRecord.self, from: data) else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let bytes = try encoder.encode(record)
            let again = try JSONDecoder().decode(OutboxRecord.self, from: bytes)
            try promise(try encoder.encode(again) == bytes, "an item is another after it was saved")
            _ = (record.head.host, record.message.keptFiles)
        },
    ]

    private static func readEntry(_ file: Data) -> (entry: StoredEntry, key: String)? {
        // That bytes are no entry is an answer.
        try? file.withUnsafeBytes { raw in
            let lengths = try EntryCoding.lengths(raw, fileSize: raw.count)
            let head = try EntryCoding.head(UnsafeRawBufferPointer(rebasing: raw[..<lengths.head]), lengths)
            let bytes = Data(UnsafeRawBufferPointer(rebasing: raw[lengths.head...]))
            return (try head.entry(bytes), head.summary.key)
        }
    }

    private static func written(_ entry: StoredEntry, _ key: String) throws -> Data {
        try EntryCoding.head(of: entry, key: key) + entry.bytes
    }

    /// By their bytes: a date may be no number, which equals nothing.
    private static func same(_ one: (entry: StoredEntry, key: String), _ other: (entry: StoredEntry, key: String))
        -> Bool
    {
        // An entry that was read can be written.
        guard let first = try? written(one.entry, one.key), let second = try? written(other.entry, other.key) else {
            return false
        }
        return first == second
    }

    /// Changes one byte of an entry, and cuts it: it is read as it was, or not at all.
    private static func damageEntry(_ input: FuzzInput) throws {
        var input = input
        let (flags, place, change, cut) = (input.byte(), input.number(), input.byte(), input.number())
        func date() -> Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: input.number())) }
        let savedAt = date()
        let origin =
            flags & 1 == 0 ? nil : StoredEntry.Origin(sentAt: date(), answeredAt: flags & 2 == 0 ? nil : date())
        let asking = StoredEntry.Asking(
            askAt: flags & 8 == 0 ? nil : date(), staleUntil: flags & 16 == 0 ? nil : date(),
            isImmutable: flags & 32 != 0)
        let validators = Validators(etag: input.optionalText(), lastModified: input.optionalText())
        let key = input.text()
        let entry = StoredEntry(
            bytes: input.rest, savedAt: savedAt, validators: validators, kind: flags & 4 == 0 ? .value : .data,
            origin: origin, asking: asking)
        let file = try written(entry, key)
        guard let whole = readEntry(file) else { throw BrokenPromise(description: "an entry cannot be read") }
        try promise(same(whole, (entry, key)), "an entry is read as another")
        var damaged = file
        damaged[Int(place % UInt64(file.count))] ^= max(1, change)
        if let found = readEntry(damaged) { try promise(same(found, whole), "a changed byte was not noticed") }
        try promise(readEntry(file.prefix(Int(cut % UInt64(file.count)))) == nil, "an entry that was cut is read")
    }

    private static func checkRecord(_ file: Data, _ isWhole: Bool) throws {
        guard let record = try? DownloadRecord.decoded(file, isWhole: isWhole) else { return }
        let bytes = record.encoded(isWhole: isWhole).bytes
        let again = try DownloadRecord.decoded(bytes, isWhole: isWhole)
        try promise(again.encoded(isWhole: isWhole).bytes == bytes, "a record is another after it was saved")
        try promise(record.validators.fitToSend == record.validators, "a validator cannot be sent")
        try promise((record.tail?.length ?? 0) < BlockSum.size, "a tail is longer than a block")
        try promise((record.total ?? 0) >= 0, "a length is negative")
    }
}

/// A value with a field of each kind that the codec has.
private struct EveryField: BinaryCodable {
    struct Pair: BinaryCodable {
        static let format: UInt8 = 7
        let number: UInt64
        let text: String?

        init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
            number = try reader.uint()
            text = try reader.optionalString()
        }

        func write(to writer: inout BinaryWriter) {
            writer.write(number)
            writer.write(text)
        }
    }

    static let format: UInt8 = 7
    let date: Date
    let id: UUID
    let text: String
    let pairs: [Pair]

    init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        date = try reader.date()
        id = try reader.uuid()
        text = try reader.string()
        pairs = try reader.array()
    }

    func write(to writer: inout BinaryWriter) {
        writer.write(date)
        writer.write(id)
        writer.write(text)
        writer.write(pairs)
    }
}
