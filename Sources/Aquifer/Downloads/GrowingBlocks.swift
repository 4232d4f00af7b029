import AquiferConcurrency
import AquiferFoundation

/// The bytes of a growing download: its whole blocks, each with a checksum, and the bytes after them.
///
/// One task appends while others read. No reader gets a byte unverified: a whole block is read from disk and compared
/// with its checksum, and the bytes after the last whole block come from memory.
final class GrowingBlocks: Sendable {
    private struct State {
        /// The checksum of each whole block.
        var sums: [UInt64] = []
        /// The bytes after the last whole block.
        let block = BlockMemory()
        var filled = 0
    }

    /// The data file.
    let file: POSIX.File
    private let url: String
    private let seed: UInt64
    private let state: Locked<State>

    /// Reads the bytes on disk, and keeps only the checksums of the record that match them.
    init(_ file: POSIX.File, _ record: DownloadRecord) throws(StoreError) {
        (self.file, url, seed) = (file, record.url, record.seed)
        var state = State()
        try Self.vouch(file, record, &state)
        self.state = Locked(state)
    }

    private static func vouch(
        _ file: POSIX.File, _ record: DownloadRecord, _ state: inout State
    ) throws(StoreError) {
        let block = state.block.bytes
        for (index, sum) in record.sums.enumerated() {
            guard try POSIX.read(file, into: block, at: index * BlockSum.size) == BlockSum.size,
                BlockSum.of(UnsafeRawBufferPointer(block), index, seed: record.seed) == sum
            else { return }
            state.sums.append(sum)
        }
        guard let tail = record.tail else { return }
        let (part, index) = (UnsafeMutableRawBufferPointer(rebasing: block[..<tail.length]), record.sums.count)
        guard try POSIX.read(file, into: part, at: index * BlockSum.size) == tail.length,
            BlockSum.of(UnsafeRawBufferPointer(part), index, seed: record.seed) == tail.sum
        else { return }
        state.filled = tail.length
    }

    /// The number of bytes.
    var received: Int { state.withLock { $0.sums.count * BlockSum.size + $0.filled } }

    /// The checksum of each whole block.
    var sums: [UInt64] { state.withLock { $0.sums } }

    /// The length and checksum of the bytes after the last whole block; `nil` if there are none.
    var tail: (length: Int, sum: UInt64)? {
        state.withLock { state in
            if state.filled == 0 { return nil }
            let part = UnsafeRawBufferPointer(rebasing: state.block.bytes[..<state.filled])
            return (state.filled, BlockSum.of(part, state.sums.count, seed: seed))
        }
    }

    /// Takes bytes that were written behind the others.
    ///
    /// - Returns: the checksums of the blocks that became whole.
    func append(_ bytes: UnsafeRawBufferPointer) -> [UInt64] {
        state.withLock { state in
            let before = state.sums.count
            var left = bytes
            while !left.isEmpty {
                // A block that comes whole is not copied.
                let isWhole = state.filled == 0 && left.count >= BlockSum.size
                let count = min(left.count, BlockSum.size - state.filled)
                let part = UnsafeRawBufferPointer(rebasing: left[..<count])
                left = UnsafeRawBufferPointer(rebasing: left[count...])
                if !isWhole {
                    UnsafeMutableRawBufferPointer(rebasing: state.block.bytes[state.filled...]).copyMemory(from: part)
                    state.filled += count
                    if state.filled < BlockSum.size { break }
                }
                let whole = isWhole ? part : UnsafeRawBufferPointer(state.block.bytes)
                state.sums.append(BlockSum.of(whole, state.sums.count, seed: seed))
                state.filled = 0
            }
            return Array(state.sums[before...])
        }
    }

    /// The bytes from an offset to the end of its block, as far as they have come; empty if they have not.
    ///
    /// - Throws: ``StoreError/unreadable(key:reason:)`` when the bytes on disk are damaged.
    func read(at offset: Int) throws(StoreError) -> Data {
        let index = offset / BlockSum.size
        let start = index * BlockSum.size
        let (sum, tail): (UInt64?, Data) = state.withLock { state in
            if index < state.sums.count { return (state.sums[index], Data()) }
            guard index == state.sums.count, offset - start < state.filled else { return (nil, Data()) }
            return (nil, Data(state.block.bytes[(offset - start)..<state.filled]))
        }
        guard let sum else { return tail }
        let block = try POSIX.read(file, upTo: BlockSum.size, at: start)
        guard block.count == BlockSum.size else { throw .unreadable(key: url, reason: "it became shorter") }
        guard block.withUnsafeBytes({ BlockSum.of($0, index, seed: seed) }) == sum else {
            throw .unreadable(key: url, reason: "the checksum of its bytes is wrong")
        }
        return offset == start ? block : block.subdata(in: (offset - start)..<block.count)
    }
}

/// The memory of one block, freed with this object.
private final class BlockMemory {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSum.size, alignment: 16)
    deinit { bytes.deallocate() }
}
