import AquiferFoundation

/// The checksums of attachments. A damaged disk must not change what a user sends.
extension AttachmentFolder {
    /// The length of the pieces that a checksum is made of. It belongs to the form of the records.
    static let piece = 1 << 20

    /// The checksum of a part of a file, piece by piece: each piece is the seed of the next one.
    ///
    /// - Parameter use: called with each piece.
    /// - Returns: `nil` if the file ends before the part does.
    static func sum(
        of file: POSIX.File, _ range: Range<UInt64>, _ use: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) -> UInt64? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
        defer { buffer.deallocate() }
        var (sum, at, number) = (UInt64(0), range.lowerBound, 0)
        while at < range.upperBound {
            let wanted = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(UInt64(piece), range.upperBound - at))])
            guard let offset = Int(exactly: at), try POSIX.read(file, into: wanted, at: offset) == wanted.count else {
                return nil
            }
            sum = BlockSum.of(UnsafeRawBufferPointer(wanted), number, seed: sum)
            try use(UnsafeRawBufferPointer(wanted))
            at += UInt64(wanted.count)
            number += 1
        }
        return sum
    }

    /// The copies are read off the cooperative threads.
    func check(_ parts: [OutboxRecord.Part]) async throws(AttachmentTrouble) {
        for part in parts {
            guard case .kept(let name, let original, let length, let sum) = part else { continue }
            let trouble = await queue.run { () -> AttachmentTrouble? in
                do throws(StoreError) {
                    guard let file = try POSIX.openToRead(url(name).path) else { return .gone(original) }
                    return try Self.sum(of: file, 0..<length) { _ in } == sum
                        ? nil : .unusable(.init(name: original, reason: "was damaged after it was queued"))
                } catch {
                    // A system that fails says nothing about the copy.
                    return .store(error)
                }
            }
            if let trouble { throw trouble }
        }
    }
}
