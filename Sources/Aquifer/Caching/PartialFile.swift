import Foundation

/// A download that is not whole yet: its bytes so far, and the journal that vouches for them.
///
/// Every whole block is entered in the journal with its checksum as soon as it is written, the bytes behind it when the
/// transfer ends in order. What the journal does not vouch for is not resumed from: after `kill -9` that is less than a
/// block, after a loss of power whatever had not reached the device.
///
/// For one task at a time, which has the download's lock; blocks.
final class PartialFile: @unchecked Sendable {
    private let folder: DownloadFolder
    private let name: String
    private(set) var record: DownloadRecord
    /// How many bytes there are.
    private(set) var received: Int
    /// The bytes, for who follows them as they come.
    let data: POSIX.File
    private var journal: POSIX.File
    private var journalEnd: Int
    /// The bytes behind the last whole block.
    private var block: UnsafeMutableRawBufferPointer { memory.bytes }
    private let memory = BlockMemory()
    private var filled = 0

    /// Begins from the first byte, in a data file of its own.
    init(_ folder: DownloadFolder, _ name: String, _ record: DownloadRecord) throws(StoreError) {
        self.folder = folder
        self.name = name
        self.record = record
        received = 0
        let (bytes, length) = record.encoded(isWhole: false)
        let path = folder.dataPath(name, record.generation)
        _ = try POSIX.remove(path)
        data = try POSIX.openToWrite(path, truncate: true)
        try folder.put(bytes, at: folder.path(name, .part))
        journal = try POSIX.openToWrite(folder.path(name, .part), truncate: false)
        journalEnd = length
    }

    /// Takes up what an earlier transfer left, as far as the journal vouches for it; `nil` if that is nothing.
    init?(resuming folder: DownloadFolder, _ name: String, url: String) throws(StoreError) {
        // A journal that cannot be read vouches for nothing.
        guard let record = try? folder.record(name, .part), record.url == url, record.resumeTag != nil,
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

    /// Whether all that was announced is there.
    var isWhole: Bool { record.total == received }

    /// The server has confirmed that the rest belongs to what is here.
    func confirm(total: Int?, at date: Date) {
        record.total = total ?? record.total
        record.stamp = date
    }

    /// Adds bytes behind those that are there.
    func append(_ chunk: Data) throws(StoreError) {
        try chunk.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in
                try POSIX.write(data, bytes, at: received)
                try account(bytes)
            }
        }.get()
    }

    /// The transfer ends before the download is whole: vouches for the last bytes too. Without anything to resume by,
    /// or any byte, leaves nothing.
    func stop() throws(StoreError) {
        guard record.resumeTag != nil, received > 0 else { return try folder.removePart(name) }
        try POSIX.cut(data, to: received)
        record.tail = filled == 0 ? nil : (filled, tailSum)
        try folder.put(record.encoded(isWhole: false).bytes, at: folder.path(name, .part))
    }

    /// The download is whole: flushes it, and puts it in place of any earlier one in one step.
    func commit() throws(StoreError) {
        var whole = record
        if filled > 0 { whole.sums.append(tailSum) }
        whole.tail = nil
        whole.total = received
        try POSIX.flush(data)
        try folder.put(whole.encoded(isWhole: true).bytes, at: folder.path(name, .info))
        // From here on it is whole. What cannot be removed now is removed by the next transfer.
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
                sums.append(BlockSum.of(UnsafeRawBufferPointer(block), record.sums.count + sums.count, seed: record.seed))
                filled = 0
            }
        }
        record.sums += sums
        received += bytes.count
        guard !sums.isEmpty else { return }
        try sums.withUnsafeBytes { raw in
            Result { () throws(StoreError) in try POSIX.write(journal, raw, at: journalEnd) }
        }.get()
        journalEnd += sums.count * 8
    }

    /// Reads what is there, and keeps of the journal what is true.
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

/// Room for one block, given back with it.
private final class BlockMemory {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSum.size, alignment: 16)
    deinit { bytes.deallocate() }
}
