import AquiferTesting
import Foundation

/// The parts of a form, as the drive's client writes it.
struct UploadedForm {
    struct Malformed: Error {}

    private(set) var fields: [String: String] = [:]
    private(set) var files: [(name: String, bytes: Data)] = []

    init(_ request: SimulatedNetwork.Request) throws {
        guard let boundary = request.headers["Content-Type"]?.split(separator: "=").last else { throw Malformed() }
        let (line, gap) = (Data("--\(boundary)".utf8), Data("\r\n\r\n".utf8))
        var rest = request.body[...]
        while let start = rest.range(of: line) {
            rest = rest[start.upperBound...]
            guard let next = rest.range(of: line) else { break }
            let part = rest[..<next.lowerBound].dropFirst(2).dropLast(2)
            guard let end = part.range(of: gap) else { throw Malformed() }
            try add(String(decoding: part[..<end.lowerBound], as: UTF8.self), Data(part[end.upperBound...]))
        }
    }

    private mutating func add(_ head: String, _ content: Data) throws {
        func value(_ key: String) -> String? {
            guard let start = head.range(of: "; \(key)=\"") else { return nil }
            return head[start.upperBound...].split(separator: "\"", maxSplits: 1).first.map(String.init)
        }
        guard let name = value("name") else { throw Malformed() }
        if let file = value("filename") {
            files.append((file, content))
        } else {
            fields[name] = String(decoding: content, as: UTF8.self)
        }
    }
}
