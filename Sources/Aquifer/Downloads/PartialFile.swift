import AquiferFoundation

/// An incomplete download: its bytes so far, and the journal with their checksums.
///
/// The journal records the checksum of every whole block as soon as the block is written, and the checksum of the bytes
/// after it when the transfer ends in order. A download resumes only after bytes that the journal confirms. After `kill
/// -9` less than a block is lost; after a loss of power, all bytes that had not reached the device.
///
/// One task at a time uses it and holds the download's lock. All calls block.
final class PartialFile: @unchecked Sendable {
    private let folder: DownloadFolder
    private let name: String
    private(set) var record: DownloadRecord
    /// Its bytes, for readers that follow them as they arrive, too.
    let blocks: GrowingBlocks
    private var data: POSIX.File { blocks.file }
    private var journal: POSIX.File
    private var journalEnd: Int

    /// Begins from the first byte, in a new data file.
    init(_ folder: DownloadFolder, _ name: String, _ record: DownloadRecord) throws(StoreError) {
        self.folder = folder
        self.name = name
        self.record = record
        let (bytes, length) = record.encoded(isWhole: false)
        let path = folder.dataPath(name, record.generation)
        _ = try POSIX.remove(path)
        blocks = try GrowingBlocks(try POSIX.openToWrite(path, truncate: true), record)
        try folder.put(bytes, at: folder.path(name, .part), isFlushed: false)
        journal = try POSIX.openToWrite(folder.path(name, .part), truncate: false)
        journalEnd = length
    }

    /// Resumes an earlier transfer after the bytes that its journal confirms; `nil` if there are none.
    init?(resuming folder: DownloadFolder, _ name: String, url: String) throws(StoreError) {
        guard let record = try folder.readable(name, .part), record.url == url, record.resumeTag != nil,
            POSIX.exists(folder.dataPath(name, record.generation))
        else { return nil }
        self.folder = folder
        self.name = name
        blocks = try GrowingBlocks(
            try POSIX.openToWrite(folder.dataPath(name, record.generation), truncate: false), record)
        journal = try POSIX.openToWrite(folder.path(name, .part), truncate: false)
        journalEnd = record.encoded(isWhole: false).headLength + blocks.sums.count * 8
        self.record = record
        self.record.sums = blocks.sums
        self.record.tail = nil
        guard received > 0 else { return nil }
        try POSIX.cut(data, to: received)
        try POSIX.cut(journal, to: journalEnd)
    }

    /// The number of bytes on disk.
    var received: Int { blocks.received }

    /// True if all announced bytes are on disk.
    var isWhole: Bool { record.total == received }

    /// Records that the server confirmed the bytes on disk.
    func confirm(total: Int?, at date: Date) {
        record.total = total ?? record.total
        record.stamp = date
    }

    /// Appends bytes.
    func append(_ chunk: Data) throws(StoreError) {
        let sums = try chunk.withBytes { bytes throws(StoreError) in
            try POSIX.write(data, bytes, at: received)
            return blocks.append(bytes)
        }
        guard !sums.isEmpty else { return }
        record.sums += sums
        try sums.withUnsafeBytes { Data($0) }.withBytes { raw throws(StoreError) in
            try POSIX.write(journal, raw, at: journalEnd)
        }
        journalEnd += sums.count * 8
    }

    /// Ends the transfer before the download is complete, and records the checksum of the last bytes too. Deletes the
    /// partial file if it has no bytes or cannot be resumed.
    func stop() throws(StoreError) {
        guard record.resumeTag != nil, received > 0 else { return try folder.removePart(name) }
        try POSIX.cut(data, to: received)
        record.tail = blocks.tail
        try folder.put(record.encoded(isWhole: false).bytes, at: folder.path(name, .part), isFlushed: false)
    }

    /// Completes the download: it replaces any earlier one in one step.
    ///
    /// - Parameter isFlushed: true if the bytes are flushed to the device before the download counts as complete.
    func commit(isFlushed: Bool) throws(StoreError) {
        var whole = record
        if let tail = blocks.tail { whole.sums.append(tail.sum) }
        whole.tail = nil
        whole.fields = []
        whole.total = received
        if isFlushed { try POSIX.flush(data) }
        try folder.put(whole.encoded(isWhole: true).bytes, at: folder.path(name, .info), isFlushed: isFlushed)
        // From here on the download is complete. What cannot be deleted now is deleted when it has reached the device, or by the next
        // transfer.
        try? folder.removePart(name, andOld: isFlushed)
    }
}
