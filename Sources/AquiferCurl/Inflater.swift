import Aquifer
import AquiferCZlib
import AquiferFoundation

/// Decodes a body that came as `gzip` (RFC 1952), one piece at a time, as its reader asks for it.
///
/// curl decodes, too, but without a bound: it decodes all that has come, and keeps what its reader does not take yet. A
/// body of 400 KB can hold 400 MB of zeros. Here only compressed bytes wait, and the limit of the reader ends the decoding.
final class Inflater {
    /// The most bytes that are decoded at once.
    static let pieceSize = 64 << 10

    /// zlib keeps the address of the stream, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var compressed = Data()
    /// The number of compressed bytes that have been decoded.
    private var done = 0
    /// True if the last member is whole, and before the first, so that an empty body is whole, too.
    private var isWhole = true

    /// - Parameter begin: begins to decode, for tests of its failure.
    /// - Returns: `nil` when there is no memory for it.
    init?(begin: (UnsafeMutablePointer<z_stream>) -> Int32 = { aq_inflate_begin($0) }) {
        // Once the property is set, a failed initializer runs `deinit`, too.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard begin(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        _ = aq_inflate_end(stream)
        stream.deallocate()
    }

    /// Takes what has come. All that came before must have been decoded: `next()` has returned `nil`.
    func add(_ bytes: Data) {
        (compressed, done) = (bytes, 0)
    }

    /// The next piece, never empty; `nil` when it takes more compressed bytes to go on.
    ///
    /// - Throws: `.malformed` when the bytes are not `gzip`.
    func next() throws(TransportError) -> Data? {
        while done < compressed.count {
            if isWhole { try begin() }
            let piece = try decode()
            if !piece.isEmpty { return piece }
        }
        add(Data())
        return try isWhole ? nil : rest()
    }

    /// To be called when no more bytes will come.
    ///
    /// - Throws: `.interrupted` when the body was cut.
    func finish() throws(TransportError) {
        guard isWhole else { throw TransportError(.interrupted, "the compressed body ended early") }
    }

    /// A file of `gzip` is one member after another.
    private func begin() throws(TransportError) {
        guard aq_inflate_again(stream) == Z_OK else { throw .notGzip }
        isWhole = false
    }

    /// The bytes that zlib still holds though it has taken all compressed ones: more than one piece can come of the last ones.
    private func rest() throws(TransportError) -> Data? {
        let piece = try decode()
        return piece.isEmpty ? nil : piece
    }

    private func decode() throws(TransportError) -> Data {
        let (code, taken, piece) = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceSize) { room in
            guard let base = room.baseAddress else { return (Z_MEM_ERROR, 0, Data()) }
            return compressed.withUnsafeBytes { bytes in
                let rest = bytes.dropFirst(done)
                // zlib reads through `next_in` and does not write.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: UnsafeRawBufferPointer(rebasing: rest).bindMemory(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = UInt32(clamping: rest.count)
                let offered = Int(stream.pointee.avail_in)
                stream.pointee.next_out = base
                stream.pointee.avail_out = UInt32(room.count)
                let code = aq_inflate(stream)
                let made = room.count - Int(stream.pointee.avail_out)
                return (code, offered - Int(stream.pointee.avail_in), Data(bytes: base, count: made))
            }
        }
        done += taken
        switch code {
        case Z_OK: return piece
        case Z_STREAM_END:
            isWhole = true
            return piece
        // Nothing could be done: there was nothing left to decode. That is so only at the end of what has come.
        case Z_BUF_ERROR where done == compressed.count: return piece
        case Z_MEM_ERROR: throw TransportError(.interrupted, "there is no memory to decode the body")
        default: throw .notGzip
        }
    }
}

extension TransportError {
    fileprivate static let notGzip = TransportError(.malformed, "the body is not the gzip that its head announces")
}
