import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("A multipart form")
struct MultipartFormTests {
    private let id = UUID(uuidString: "00000000-0000-0000-0000-000000000001")!
    private let boundary = "aquifer-00000000-0000-0000-0000-000000000001"

    private func text(_ form: MultipartForm) -> String {
        String(decoding: HTTPRequest(.post, URL(filePath: "/"), body: form.body).wholeBody, as: UTF8.self)
    }

    @Test("is written as RFC 7578 has it: texts, bytes, files, in order")
    func whole() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appending(path: "clip one.mp3")
            try Data("sound".utf8).write(to: file)
            var form = MultipartForm(id: id)
            form.add("title", "Pássaros")
            form.add("metadata", Data("{}".utf8), type: "application/json")
            try form.add("audio", file: file, type: "audio/mpeg")
            #expect(form.contentType == "multipart/form-data; boundary=\(boundary)")
            let expected = [
                "--\(boundary)", "Content-Disposition: form-data; name=\"title\"", "", "Pássaros",
                "--\(boundary)", "Content-Disposition: form-data; name=\"metadata\"", "Content-Type: application/json",
                "",
                "{}",
                "--\(boundary)", "Content-Disposition: form-data; name=\"audio\"; filename=\"clip one.mp3\"",
                "Content-Type: audio/mpeg", "", "sound",
                "--\(boundary)--", "",
            ].joined(separator: "\r\n")
            #expect(text(form) == expected)
            #expect(form.body.length == UInt64(expected.utf8.count))
        }
    }

    @Test("leaves files where they are until it is sent")
    func streams() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appending(path: "clip.mp3")
            try Data(count: 1_000_000).write(to: file)
            var form = MultipartForm(id: id)
            try form.add("audio", file: file, type: "audio/mpeg", filename: "other.mp3")
            #expect(form.body.parts.contains(.file(file, offset: 0, length: 1_000_000)))
            #expect(text(form).contains("filename=\"other.mp3\""))
        }
    }

    @Test(
        "keeps names from ending early and from bringing fields of their own",
        arguments: [
            ("a\"; filename=\"x", "a%22; filename=%22x"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"), ("é日", "é日"),
            ("a\u{0}b", "a%00b"), ("50%", "50%"),
            // A backslash that a server would take for an escape is escaped; any other is as browsers write it.
            ("a\\b", "a\\b"), ("a\\", "a\\\\"), ("a\\\\b", "a\\\\\\b"), ("\\\"", "\\%22"),
        ])
    func escapes(name: String, written: String) throws {
        var form = MultipartForm(id: id)
        form.add(name, Data(), type: "text/plain\r\nX-Evil: 1", filename: name)
        let lines = text(form).components(separatedBy: "\r\n")
        #expect(lines[1] == "Content-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\"")
        #expect(lines[2] == "Content-Type: text/plain%0D%0AX-Evil: 1")
        #expect(lines[3] == "")
    }

    @Test("says that a file is not there, or is none")
    func missingFile() async throws {
        try await TemporaryFolder.with { folder in
            var form = MultipartForm()
            let missing = folder.appending(path: "missing.mp3")
            let error = await failure { () throws(MultipartForm.UnusableFile) in
                try form.add("audio", file: missing, type: "audio/mpeg")
            }
            #expect(error?.description == "missing.mp3 is not there")
            let another = await failure { () throws(MultipartForm.UnusableFile) in
                try form.add("audio", file: folder, type: "audio/mpeg")
            }
            #expect(another != nil)
        }
    }

    @Test("has a boundary of its own each time")
    func boundaries() {
        #expect(MultipartForm().boundary != MultipartForm().boundary)
    }
}
