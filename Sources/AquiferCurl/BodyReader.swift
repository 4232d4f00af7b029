import Aquifer
import AquiferFoundation

/// Reads the parts of a request's body one after another, from the start or from anywhere.
final class BodyReader {
    private let parts: [HTTPBody.Part]
    private var index = 0
    /// The bytes of the part at `index` that have been read.
    private var offset: UInt64 = 0
    /// The part at `index`, if it is a file that is open.
    private var file: POSIX.File?
    /// True if anything has been handed out.
    private(set) var hasBeenRead = false
    /// The reader's place in the whole body.
    private(set) var position: UInt64 = 0

    init(_ body: HTTPBody) {
        parts = body.parts
    }

    /// Fills the buffer as far as one part goes; 0 at the end.
    ///
    /// - Throws: `.unreadableBody` when a file cannot be read or is shorter than its part.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        hasBeenRead = true
        while index < parts.count, offset == parts[index].length { advance() }
        guard index < parts.count, !buffer.isEmpty else { return 0 }
        let wanted = Int(min(UInt64(buffer.count), parts[index].length - offset))
        let count: Int
        switch parts[index] {
        case .bytes(let data):
            let start = data.startIndex + Int(offset)
            count = data[start..<(start + wanted)].copyBytes(to: buffer)
        case .file(let url, let start, _):
            count = try read(url, at: start + offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        }
        offset += UInt64(count)
        position += UInt64(count)
        return count
    }

    /// Goes to a place in the whole body.
    func seek(to position: UInt64) {
        file = nil
        self.position = position
        index = 0
        offset = position
        while index < parts.count, offset > parts[index].length {
            offset -= parts[index].length
            index += 1
        }
    }

    private func read(_ url: URL, at start: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(TransportError)
        -> Int
    {
        let count: Int
        do throws(StoreError) {
            if file == nil { file = try POSIX.openToRead(url.path) }
            guard let file, let position = Int(exactly: start) else {
                throw .failed(operation: "open", reason: "No such file")
            }
            count = try POSIX.read(file, into: buffer, at: position)
        } catch {
            throw TransportError(.unreadableBody, "\(url.lastPathComponent): \(reason(of: error))")
        }
        guard count > 0 else { throw TransportError(.unreadableBody, "\(url.lastPathComponent) is too short") }
        return count
    }

    private func advance() {
        file = nil
        index += 1
        offset = 0
    }

    private func reason(of error: StoreError) -> String {
        if case .failed(_, let reason) = error { reason } else { error.description }
    }
}
