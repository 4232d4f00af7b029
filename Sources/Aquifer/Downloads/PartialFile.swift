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
    /// The number of bytes on disk.
    private(set) var received: Int
    /// The data file, for readers that follow the bytes as they arrive.
    let data: POSIX.File
    private var journal: POSIX.File
    private var journalEnd: Int
    /// The bytes after the last whole block.
    private var block: UnsafeMutableRawBufferPointer { memory.bytes }
    private let memory = BlockMemory()
    private var filled = 0

    /// Begins from the first byte, in a new data file.
    init(_ folder: DownloadFolder, _ name: String, _ record: DownloadRecord) throws(StoreError) {
        self.folder = folder
        self.name = name
        self.record = record
        received = 0
        let (bytes, length) = record.encoded(isWhole: false)
        let path = folder.dataPath(name, record.generation)
        _ = try POSIX.remove(path)
        data = try POSIX.openToWrite(path, truncate: true)
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
        self.record = record
        data = try POSIX.openToWrite(folder.dataPath(name, record.generation), truncate: false)
        journal = try POSIX.openToWrite(folder.path(name, .part), truncate: false)
        journalEnd = record.encoded(isWhole: false).headLength
        received = 0
        try vouch()
        guard received > 0 else { return nil }
        try POSIX.cut(data, to: received)
        journalEnd += self.record.sums.count * 8
        try POSIX.cut(journal, to: journalEnd)
    }

    /// True if all announced bytes are on disk.
    var isWhole: Bool { record.total == received }

    /// Records that the server confirmed the bytes on disk.
    func confirm(total: Int?, at date: Date) {
        record.total = total ?? record.total
        record.stamp = date
    }

    /// Appends bytes.
    func append(_ chunk: Data) throws(StoreError) {
        try chunk.withBytes { bytes throws(StoreError) in
            try POSIX.write(data, bytes, at: received)
            try account(bytes)
        }
    }

    /// Ends the transfer before the download is complete, and records the checksum of the last bytes too. Deletes the
    /// partial file if it has no bytes or cannot be resumed.
    func stop() throws(StoreError) {
        guard record.resumeTag != nil, received > 0 else { return try folder.removePart(name) }
        try POSIX.cut(data, to: received)
        record.tail = filled == 0 ? nil : (filled, tailSum)
        try folder.put(record.encoded(isWhole: false).bytes, at: folder.path(name, .part), isFlushed: false)
    }

    /// Completes the download: it replaces any earlier one in one step.
    ///
    /// - Parameter isFlushed: true if the bytes are flushed to the device before the download counts as complete.
    func commit(isFlushed: Bool) throws(StoreError) {
        var whole = record
        if filled > 0 { whole.sums.append(tailSum) }
        whole.tail = nil
        whole.total = received
        if isFlushed { try POSIX.flush(data) }
        try folder.put(whole.encoded(isWhole: true).bytes, at: folder.path(name, .info), isFlushed: isFlushed)
        // From here on the download is complete. The next transfer deletes a leftover that cannot be deleted now.
        try? folder.removePart(name)
    }

    private var tailSum: UInt64 {
        BlockSum.of(UnsafeRawBufferPointer(rebasing: block[..<filled]), record.sums.count, seed: record.seed)
    }

    private func account(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var left = bytes
        var sums: [UInt64] = []
        while !left.isEmpty {
            if filled == 0, left.count >= BlockSum.size {
                let whole = UnsafeRawBufferPointer(rebasing: left[..<BlockSum.size])
                sums.append(BlockSum.of(whole, record.sums.count + sums.count, seed: record.seed))
                left = UnsafeRawBufferPointer(rebasing: left[BlockSum.size...])
                continue
            }
            let count = min(left.count, BlockSum.size - filled)
            UnsafeMutableRawBufferPointer(rebasing: block[filled...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: left[..<count]))
            filled += count
            left = UnsafeRawBufferPointer(rebasing: left[count...])
            if filled == BlockSum.size {
                sums.append(
                    BlockSum.of(UnsafeRawBufferPointer(block), record.sums.count + sums.count, seed: record.seed))
                filled = 0
            }
        }
        record.sums += sums
        received += bytes.count
        guard !sums.isEmpty else { return }
        try sums.withUnsafeBytes { Data($0) }.withBytes { raw throws(StoreError) in
            try POSIX.write(journal, raw, at: journalEnd)
        }
        journalEnd += sums.count * 8
    }

    /// Reads the bytes on disk, and keeps only the checksums of the journal that match them.
    private func vouch() throws(StoreError) {
        let (sums, tail) = (record.sums, record.tail)
        record.sums = []
        record.tail = nil
        for (index, sum) in sums.enumerated() {
            guard try POSIX.read(data, into: block, at: received) == BlockSum.size,
                BlockSum.of(UnsafeRawBufferPointer(block), index, seed: record.seed) == sum
            else { return }
            received += BlockSum.size
            record.sums.append(sum)
        }
        guard let tail else { return }
        let part = UnsafeMutableRawBufferPointer(rebasing: block[..<tail.length])
        guard try POSIX.read(data, into: part, at: received) == tail.length,
            BlockSum.of(UnsafeRawBufferPointer(part), sums.count, seed: record.seed) == tail.sum
        else { return }
        received += tail.length
        filled = tail.length
    }
}

/// The memory of one block, freed with this object.
private final class BlockMemory {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSum.size, alignment: 16)
    deinit { bytes.deallocate() }
}
