import Foundation

@testable import Aquifer
@testable import HTTPServer

extension FuzzTarget {
    /// Forms with files.
    static let forms: [FuzzTarget] = [
        .now("multipart") { data in
            var input = FuzzInput(data)
            let size = Int(input.byte()) % 64 + 1
            let body = input.rest
            let pieces = stride(from: 0, to: body.count, by: size).map { Data(body.dropFirst($0).prefix(size)) }
            let (whole, split) = (parts(of: [body]), parts(of: pieces))
            try promise(whole == split, "a form depends on how it was split")
            for part in whole ?? [] {
                for field in part.headers.fields {
                    try promise(
                        !field.value.utf8.contains { [0, 0x0A, 0x0D].contains($0) }, "a value has a line break")
                }
            }
        },
        .later("forms") { data in
            // A form that the engine writes is read as it was meant.
            var input = FuzzInput(data)
            var form = MultipartForm(id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
            var expected: [(name: String, filename: String?, content: Data)] = []
            for _ in 0..<(input.byte() % 4) {
                let (name, filename, content) = (input.text(), input.optionalText(), input.bytes())
                form.add(name, content, type: input.text(), filename: filename)
                expected.append((name, filename, content))
            }
            let request = ServerRequest(
                .post, "/", headers: ["Content-Type": form.contentType],
                body: form.body.parts.reduce(into: Data()) {
                    if case .bytes(let bytes) = $1 { $0.append(bytes) }
                })
            var reader = try MultipartReader(request)
            for part in expected {
                guard let found = try await reader.nextPart() else {
                    throw BrokenPromise(description: "a part is lost")
                }
                try promise(isRead(found.name, as: part.name), "a field has another name")
                try promise(
                    part.filename.map { isRead(found.filename ?? "", as: $0) } ?? (found.filename == nil),
                    "a file has another name")
                try promise(try await reader.collect(upTo: 1 << 20) == part.content, "a field has another content")
            }
            try promise(try await reader.nextPart() == nil, "there is a part too many")
        },
    ]

    private struct FormPart: Equatable {
        var headers: HTTPHeaders
        var content = Data()
    }

    /// The parts of a body; `nil` if it is no form.
    private static func parts(of pieces: [Data]) -> [FormPart]? {
        var parser = MultipartParser(boundary: "B", maxHeadBytes: 128)
        var left = pieces[...]
        var parts: [FormPart] = []
        do throws(MultipartError) {
            while true {
                switch try parser.next() {
                case .needsBytes:
                    if let piece = left.popFirst() { parser.push(piece) } else { parser.finish() }
                case .head(let headers): parts.append(FormPart(headers: headers))
                case .data(let data): parts[parts.count - 1].content.append(data)
                case .partEnd: break
                case .end: return parts
                }
            }
        } catch { return nil }
    }

    /// True if a name is read as it was given. `%22`, `%0D` and `%0A` in a name stand for what browsers write so.
    private static func isRead(_ found: String, as name: String) -> Bool {
        let meant = name.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
            .replacing("\0", with: "%00")
        return found.isSame(name) || found.isSame(meant)
    }
}
