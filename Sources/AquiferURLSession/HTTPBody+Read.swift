import Aquifer
import Foundation

extension HTTPBody {
    /// The whole body in memory.
    ///
    /// - Throws: `.unreadableBody` when a file cannot be read or is shorter than its part.
    func read() throws(TransportError) -> Data {
        var all = Data()
        for part in parts {
            switch part {
            case .bytes(let data): all += data
            case .file(let url, let offset, let length): all += try Self.read(url, offset, length)
            }
        }
        return all
    }

    private static func read(_ url: URL, _ offset: UInt64, _ length: UInt64) throws(TransportError) -> Data {
        let data: Data?
        do {
            let file = try FileHandle(forReadingFrom: url)
            try file.seek(toOffset: offset)
            data = try file.read(upToCount: Int(length))
        } catch {
            throw TransportError(.unreadableBody, "\(url.lastPathComponent): \(error.localizedDescription)")
        }
        guard UInt64(data?.count ?? 0) == length else {
            throw TransportError(.unreadableBody, "\(url.lastPathComponent) is too short")
        }
        return data ?? Data()
    }
}
