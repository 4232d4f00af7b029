import Foundation
import Testing

@testable import HTTPServer

/// The result of reading a body: its parts with their bytes, and the error that ended it.
struct ReadParts: Equatable {
    var parts: [(part: MultipartReader.Part, data: Data)] = []
    var error: MultipartError?

    static func == (one: ReadParts, other: ReadParts) -> Bool {
        one.error == other.error && one.parts.map(\.part) == other.parts.map(\.part)
            && one.parts.map(\.data) == other.parts.map(\.data)
    }

    /// Reads a body that comes in these chunks.
    static func read(
        _ chunks: [Data], type: String = "multipart/form-data; boundary=frontier",
        limits: MultipartReader.Limits = .init()
    ) async -> ReadParts {
        var read = ReadParts()
        let request = ServerRequest(
            method: "POST", rawPath: "/", query: [], headers: ["Content-Type": type], remoteAddress: "",
            body: ServerRequestBody(chunks))
        do throws(MultipartError) {
            var reader = try MultipartReader(request, limits: limits)
            while let part = try await reader.nextPart() {
                read.parts.append((part, Data()))
                while let piece = try await reader.nextPiece() {
                    read.parts[read.parts.count - 1].data.append(piece)
                }
            }
        } catch { read.error = error }
        return read
    }

    static func read(
        _ text: String, type: String = "multipart/form-data; boundary=frontier",
        limits: MultipartReader.Limits = .init()
    ) async -> ReadParts {
        await read([Data(text.utf8)], type: type, limits: limits)
    }

    var names: [String] { parts.map(\.part.name) }
    var texts: [String] { parts.map { String(decoding: $0.data, as: UTF8.self) } }
}

@Suite("A multipart body is read part by part", .timeLimit(.minutes(10)))
struct MultipartTests {
    /// A title, a file full of near-boundaries, an empty part, and text around it all.
    static let form = """
        This is nobody's.\r
        --frontier\r
        Content-Disposition: form-data; name="title"\r
        \r
        A walk\r
        --frontier  \t\r
        content-disposition: form-data; name=audio;\r
         filename="a \\"quoted\\" name.mp3"\r
        Content-Type: audio/mpeg\r
        \r
        \r
        --frontie\r
        --frontierX\r
        --frontier-\r
        --frontier \r-\r\r\n
        -- frontier\r\n\r
        --frontier\r
        Content-Disposition: form-data; name="empty"\r
        \r
        \r
        --frontier--\r
        Neither is this.\r
        --frontier\r
        """

    @Test("Every part comes with its name, its file's name, its type and exactly its bytes")
    func parts() async {
        let read = await ReadParts.read(Self.form)
        #expect(read.error == nil)
        #expect(read.names == ["title", "audio", "empty"])
        #expect(
            read.texts == [
                "A walk",
                "\r\n--frontie\r\n--frontierX\r\n--frontier-\r\n--frontier \r-\r\r\n\n-- frontier\r\n", "",
            ])
        #expect(read.parts[0].part.filename == nil && read.parts[0].part.contentType == nil)
        #expect(read.parts[1].part.filename == "a \"quoted\" name.mp3")
        #expect(read.parts[1].part.contentType == "audio/mpeg")
    }

    @Test("Wherever a body is split in two, it says the same")
    func everySplit() async {
        let bytes = Data(Self.form.utf8)
        let whole = await ReadParts.read([bytes])
        for split in 1..<bytes.count {
            let read = await ReadParts.read([bytes.prefix(split), bytes.dropFirst(split)])
            #expect(read == whole, "split at \(split)")
        }
    }

    @Test("Split in three, and in pieces of any size down to single bytes, it says the same")
    func manySplits() async {
        let bytes = Data(Self.form.utf8)
        let whole = await ReadParts.read([bytes])
        for size in 1...70 {
            let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            let read = await ReadParts.read(chunks)
            #expect(read == whole, "pieces of \(size)")
        }
        for first in stride(from: 1, to: bytes.count - 1, by: 7) {
            for second in stride(from: first + 1, to: bytes.count, by: 3) {
                let read = await ReadParts.read([bytes[..<first], bytes[first..<second], bytes[second...]])
                #expect(read == whole, "split at \(first) and \(second)")
            }
        }
    }

    @Test("Cut short anywhere before its closing boundary, a body is refused and never taken for whole")
    func everyCut() async throws {
        let bytes = Data(Self.form.utf8)
        let closing = try #require(bytes.range(of: Data("--frontier--".utf8)))
        for length in 0..<closing.upperBound {
            let read = await ReadParts.read([bytes.prefix(length)])
            #expect(read.error == .truncated, "\(length) bytes")
        }
        #expect(await ReadParts.read([bytes.prefix(closing.upperBound)]).error == nil)
    }

    @Test("Bytes that are no text come through as they are, boundaries' beginnings among them")
    func binary() async {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let alphabet = Array("\r\n-frontie\0\u{7F}".utf8) + [0xFF]
            let content = Data((0..<4000).map { _ in alphabet.randomElement(using: &generator)! })
            guard content.range(of: Data("\r\n--frontier".utf8)) == nil else { continue }
            var body = Data("--frontier\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8)
            body += content + Data("\r\n--frontier--\r\n".utf8)
            var chunks: [Data] = []
            while !body.isEmpty {
                let size = Int.random(in: 1...200, using: &generator)
                chunks.append(Data(body.prefix(size)))
                body = Data(body.dropFirst(size))
            }
            let read = await ReadParts.read(chunks)
            #expect(read.error == nil && read.parts.first?.data == content)
        }
    }

    @Test(
        "Names and file names are read quoted, escaped, bare and percent-escaped",
        arguments: [
            (#"form-data; name="a""#, "a", nil),
            (#"form-data; name=a; filename=b.mp3"#, "a", "b.mp3"),
            (#"FORM-DATA ; NAME = "a" ; FileName = "b.mp3""#, "a", "b.mp3"),
            (#"form-data; name="a;b"; filename="c;name=d.mp3""#, "a;b", "c;name=d.mp3"),
            (#"form-data; name="a"; filename="one \"two\" three\\.mp3""#, "a", #"one "two" three\.mp3"#),
            (#"form-data; name="a"; filename="C:\music\tune.mp3""#, "a", #"C:\music\tune.mp3"#),
            (#"form-data; name="a"; filename="%22x%22%0D%0A100%25 %41.mp3""#, "a", "\"x\"\r\n100%25 %41.mp3"),
            (#"form-data; name="a"; filename="São João.mp3""#, "a", "São João.mp3"),
            ("form-data; name=\"%22\u{5a4}\"; filename=\"%0A\u{301}\"", "\"\u{5a4}", "\n\u{301}"),
            (#"form-data; name="a"; filename="../../etc/passwd""#, "a", "../../etc/passwd"),
            (#"form-data; name="a"; filename="""#, "a", ""),
            (#"form-data; name="a";"#, "a", nil),
            (#"form-data; filename="b"; name="a"; name="c""#, "a", "b"),
        ] as [(String, String, String?)])
    func names(line: String, name: String, filename: String?) async {
        let read = await ReadParts.read("--frontier\r\nContent-Disposition: \(line)\r\n\r\nx\r\n--frontier--")
        #expect(read.error == nil)
        #expect(read.parts.first?.part.name == name && read.parts.first?.part.filename == filename)
    }

    @Test(
        "A part without a name, and a head that is none, are refused",
        arguments: [
            "\r\n", "Content-Type: text/plain\r\n\r\n", "Content-Disposition: form-data\r\n\r\n",
            "Content-Disposition: attachment; name=a\r\n\r\n", "Content-Disposition: form-data; name=\"a\r\n\r\n",
            "Content-Disposition: form-data; name=\"a\" b\r\n\r\n", "no header at all\r\n\r\n", ": empty\r\n\r\n",
            "Content-Disposition: form-data; =a\r\n\r\n",
            // A lone line end or a NUL in a value would go on as a line of its own.
            "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\nX-Evil: 1\r\n\r\n",
            "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\rX-Evil: 1\r\n\r\n",
            "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\u{0}\r\n\r\n",
        ])
    func badHeads(head: String) async {
        let read = await ReadParts.read("--frontier\r\n\(head)x\r\n--frontier--")
        guard case .malformed = read.error else {
            Issue.record("\(head) gave \(read)")
            return
        }
        #expect(read.parts.isEmpty && read.error?.status == 400)
    }

    @Test(
        "The boundary is read from the type, quoted or not",
        arguments: [
            "multipart/form-data; boundary=frontier", "multipart/form-data; boundary=\"frontier\"",
            "Multipart/Form-Data;charset=utf-8;BOUNDARY=frontier", "multipart/form-data; boundary=frontier ; a=b",
        ])
    func boundary(type: String) async {
        let read = await ReadParts.read(Self.form, type: type)
        #expect(read.error == nil && read.parts.count == 3)
    }

    @Test(
        "What is no form is 415, and a boundary that is none 400",
        arguments: [
            ("application/json", 415), ("multipart/mixed; boundary=frontier", 415), ("", 415),
            ("multipart/form-data", 400), ("multipart/form-data; boundary=", 400),
            ("multipart/form-data; boundary=\"a\u{1}b\"", 400),
            ("multipart/form-data; boundary=\(String(repeating: "b", count: 71))", 400),
        ])
    func refusedTypes(type: String, status: Int) async {
        let read = await ReadParts.read(Self.form, type: type)
        #expect(read.error?.status == status && read.parts.isEmpty)
    }

    @Test("The longest boundary, with every sign that one may have, is found")
    func strangeBoundary() async {
        let boundary = "'()+_,-./:=? --" + String(repeating: "z", count: 55)
        let read = await ReadParts.read(
            "--\(boundary)\r\nContent-Disposition: form-data; name=a\r\n\r\n--z\r\n--\(boundary)--",
            type: "multipart/form-data; boundary=\"\(boundary)\"")
        #expect(read.texts == ["--z"] && read.error == nil)
    }

    @Test("A form of no parts is none, and what is no boundary at all is cut short")
    func nothing() async {
        #expect(await ReadParts.read("--frontier--").parts.isEmpty)
        #expect(await ReadParts.read("--frontier--").error == nil)
        #expect(await ReadParts.read("hello").error == .truncated)
        #expect(await ReadParts.read([]).error == .truncated)
    }

    @Test("An empty part needs no second line end, and a head right before a boundary is one without a body")
    func emptyParts() async {
        let read = await ReadParts.read(
            "--frontier\r\nContent-Disposition: form-data; name=a\r\n\r\n--frontier\r\n"
                + "Content-Disposition: form-data; name=b\r\n\r\n\r\n--frontier--")
        #expect(read.names == ["a", "b"] && read.texts == ["", ""] && read.error == nil)
    }

    @Test("A head past its limit, padding without end and too many parts are 413, and little of them is kept")
    func limits() async {
        let limits = MultipartReader.Limits(headBytes: 60, parts: 2)
        func part(_ name: String) -> String { "--frontier\r\nContent-Disposition: form-data; name=\(name)\r\n\r\n\r\n" }
        let fits = String(repeating: "n", count: 60 - "Content-Disposition: form-data; name=".utf8.count)
        #expect(await ReadParts.read(part(fits) + "--frontier--", limits: limits).error == nil)
        let long = await ReadParts.read(part(fits + "n") + "--frontier--", limits: limits)
        #expect(long.error == .headTooLarge(limit: 60) && long.error?.status == 413)
        let endless = [Data("--frontier\r\nX: ".utf8)] + Array(repeating: Data(repeating: 0x79, count: 9), count: 100)
        #expect(await ReadParts.read(endless, limits: limits).error == .headTooLarge(limit: 60))
        let padding = [Data("--frontier".utf8)] + Array(repeating: Data(repeating: 0x20, count: 9), count: 100)
        #expect(await ReadParts.read(padding, limits: limits).error == .headTooLarge(limit: 60))
        let many = await ReadParts.read(part("a") + part("b") + part("c") + "--frontier--", limits: limits)
        #expect(many.names == ["a", "b"] && many.error == .tooManyParts(limit: 2))
    }

    @Test("A part that is not wanted is skipped, and one that is collected is bounded")
    func skipping() async throws {
        let request = ServerRequest(
            "POST", "/", headers: ["Content-Type": "multipart/form-data; boundary=frontier"],
            body: Data(Self.form.utf8))
        var reader = try MultipartReader(request)
        #expect(try await reader.nextPart()?.name == "title")
        #expect(try await reader.nextPart()?.name == "audio")
        #expect(try await reader.nextPiece() != nil)
        #expect(try await reader.nextPart()?.name == "empty")
        #expect(try await reader.nextPart() == nil)
        #expect(try await reader.nextPart() == nil)
        #expect(try await reader.nextPiece() == nil)

        var bounded = try MultipartReader(
            ServerRequest(
                "POST", "/", headers: ["Content-Type": "multipart/form-data; boundary=frontier"],
                body: Data(Self.form.utf8)))
        _ = try await bounded.nextPart()
        #expect(try await bounded.collect(upTo: 6) == Data("A walk".utf8))
        _ = try await bounded.nextPart()
        await #expect(throws: MultipartError.partTooLarge(limit: 6)) { try await bounded.collect(upTo: 6) }
    }

    @Test("Over a socket, a body that is larger than the server takes is 413, and a client that leaves is seen to")
    func overSocket() async throws {
        let (begun, left) = (Event(), Event())
        let server = try HTTPServer(.init(maxBodyBytes: 1000)) { request in
            do throws(MultipartError) {
                var reader = try MultipartReader(request)
                var names: [String] = []
                if request.path == "/leaving" { begun.signal() }
                while let part = try await reader.nextPart() { names.append(part.name) }
                return .text(names.joined(separator: ","))
            } catch {
                if error == .body(.clientLeft) || error == .body(.cancelled) { left.signal() }
                return .text(error.description, status: error.status)
            }
        }
        let port = server.port
        try await onThread {
            func head(_ length: Int) -> String { Self.head("/", length) }
            let whole = try RawClient(port: port)
            try whole.send(head(Self.form.utf8.count) + Self.form)
            #expect(try whole.answer().text == "title,audio,empty")
            try whole.send(head(1001) + String(repeating: "x", count: 1001))
            #expect(try whole.answer().status == 413)
        }
        let leaving = try await onThread {
            let client = try RawClient(port: port)
            try client.send(Self.head("/leaving", 900) + "--frontier\r\nContent")
            return client
        }
        // A request whose client has left before it begins is not handled.
        await begun.wait()
        leaving.leave()
        await left.wait()
        await server.stop()
    }

    private static func head(_ path: String, _ length: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=frontier\r\n"
            + "Content-Length: \(length)\r\n\r\n"
    }
}
