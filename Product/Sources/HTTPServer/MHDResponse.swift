import CMicrohttpd
import Foundation

/// Turns an answer into libmicrohttpd's form and queues it. On the daemon's thread only.
enum MHDResponse {
    /// Bytes up to this size are copied at once; larger ones are read from where they are, piece by piece.
    private static let copyLimit = 64 * 1024
    private static let blockSize = 32 * 1024

    /// - Returns: `.NO` when the connection is to be closed because not even a 500 could be queued.
    static func queue(
        _ response: ServerResponse, on connection: OpaquePointer, for exchange: Exchange?, serverName: String?
    ) -> MHD_Result {
        guard (200...999).contains(response.status) else {
            return queueFailure(on: connection, serverName: serverName)
        }
        guard let made = make(response, for: exchange) else {
            return queueFailure(on: connection, serverName: serverName)
        }
        defer { MHD_destroy_response(made) }
        var fieldsAreGood = true
        // libmicrohttpd refuses a field without a value as well. Nobody misses that one.
        for field in response.headers.fields where !isOwn(field.name) && !field.value.isEmpty {
            // Line ends in a value would forge a second answer: libmicrohttpd refuses them, so do we, aloud.
            fieldsAreGood = add(field, to: made) && fieldsAreGood
        }
        guard fieldsAreGood else { return queueFailure(on: connection, serverName: serverName) }
        if let serverName { MHD_add_response_header(made, "Server", serverName) }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }

    /// The answer could not be made: an unreadable file, a header or status that is none. The details are the
    /// server's own business.
    private static func queueFailure(on connection: OpaquePointer, serverName: String?) -> MHD_Result {
        let text = StaticString("internal server error\n")
        guard
            let made = MHD_create_response_from_buffer(
                text.utf8CodeUnitCount, UnsafeMutableRawPointer(mutating: text.utf8Start), .RESPMEM_PERSISTENT)
        else { return .NO }
        defer { MHD_destroy_response(made) }
        MHD_add_response_header(made, "Content-Type", "text/plain; charset=utf-8")
        if let serverName { MHD_add_response_header(made, "Server", serverName) }
        return MHD_queue_response(connection, 500, made)
    }

    /// `withCString` hands out a string's own bytes, where passing the string makes an array of them.
    private static func add(_ field: HTTPHeaders.Field, to response: OpaquePointer) -> Bool {
        field.name.withCString { name in
            field.value.withCString { MHD_add_response_header(response, name, $0) == .YES }
        }
    }

    private static func isOwn(_ name: String) -> Bool {
        name.equalsIgnoringASCIICase("Content-Length") || name.equalsIgnoringASCIICase("Transfer-Encoding")
            || name.equalsIgnoringASCIICase("Date")
    }

    private static func make(_ response: ServerResponse, for exchange: Exchange?) -> OpaquePointer? {
        if response.status == 204 || response.status == 304 {
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        }
        switch response.body {
        case .bytes(let data):
            return make(data)
        case .file(let path, let offset, let length):
            return make(file: path, offset: offset, length: length)
        case .stream(let length, _):
            guard let exchange else { return nil }
            return make(reading: exchange, length: length ?? .max, with: readStream)
        }
    }

    private static func make(_ data: Data) -> OpaquePointer? {
        if data.count <= copyLimit {
            return data.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        }
        return make(reading: DataBox(data), length: UInt64(data.count), with: readData)
    }

    /// An answer that is read from `source`, which lives as long as it does; `nil` for want of memory.
    private static func make(
        reading source: AnyObject, length: UInt64, with reader: MHD_ContentReaderCallback
    ) -> OpaquePointer? {
        let retained = Unmanaged.passRetained(source)
        guard
            let made = MHD_create_response_from_callback(length, blockSize, reader, retained.toOpaque(), releaseObject)
        else {
            retained.release()
            return nil
        }
        return made
    }

    private static func make(file path: String, offset: UInt64, length: UInt64) -> OpaquePointer? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard let made = MHD_create_response_from_fd_at_offset64(length, descriptor, offset) else {
            _ = systemClose(descriptor)
            return nil
        }
        return made
    }
}

private final class DataBox: Sendable {
    let data: Data
    init(_ data: Data) { self.data = data }
}

private func readData(
    _ cls: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
    guard let cls, let buffer else { return aq_mhd_end_with_error() }
    let data = Unmanaged<DataBox>.fromOpaque(cls).takeUnretainedValue().data
    let start = data.startIndex + Int(position)
    let count = min(capacity, data.endIndex - start)
    guard count > 0 else { return aq_mhd_end_of_stream() }
    data.copyBytes(
        to: UnsafeMutableRawBufferPointer(start: buffer, count: count), from: start..<start + count)
    return count
}

private func readStream(
    _ cls: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
    guard let cls, let buffer else { return aq_mhd_end_with_error() }
    let exchange = Unmanaged<Exchange>.fromOpaque(cls).takeUnretainedValue()
    return exchange.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
}

private func releaseObject(_ cls: UnsafeMutableRawPointer?) {
    guard let cls else { return }
    Unmanaged<AnyObject>.fromOpaque(cls).release()
}
