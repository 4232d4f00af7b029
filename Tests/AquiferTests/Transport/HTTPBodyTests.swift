import Aquifer
import Foundation
import Testing

@Suite("A request's body in memory")
struct HTTPBodyTests {
    private let none = URL(filePath: "/tmp/aquifer-there-is-no-such-file")

    private func kind(_ body: HTTPBody, upTo limit: Int = .max) -> TransportError.Kind? {
        do throws(TransportError) { _ = try body.data(upTo: limit) } catch { return error.kind }
        return nil
    }

    @Test("Lengths that no body can have end no process")
    func longest() {
        let rest = HTTPBody.Part.file(URL(filePath: "/none"), offset: 0, length: .max)
        #expect(HTTPBody(parts: [rest, .bytes(Data("more".utf8))]).length == .max)
    }

    @Test("is all of its parts, files read, in order")
    func whole() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appending(path: "letters")
            try Data("abcdef".utf8).write(to: file)
            let body = HTTPBody(parts: [
                .bytes(Data("<".utf8)), .file(file, offset: 1, length: 3), .file(file, offset: 6, length: 0),
                .bytes(Data(">".utf8)),
            ])
            #expect(try body.data() == Data("<bcd>".utf8))
            #expect(try body.data(upTo: 5) == Data("<bcd>".utf8))
            #expect(kind(body, upTo: 4) == .bodyTooLarge)
            #expect(kind(HTTPBody(parts: [.file(file, offset: 4, length: 3)])) == .unreadableBody)
        }
        #expect(try HTTPBody(parts: []).data().isEmpty)
        #expect(try HTTPBody.bytes(Data("milk".utf8)).data(upTo: 4) == Data("milk".utf8))
    }

    @Test("of a file that is not there cannot be read, and the error names the file but not its folder")
    func missing() {
        let body = HTTPBody(parts: [.file(none, offset: 0, length: 1)])
        do throws(TransportError) {
            _ = try body.data()
            Issue.record("read a file that is not there")
        } catch {
            #expect(error.kind == .unreadableBody)
            #expect(error.detail == "aquifer-there-is-no-such-file: there is no such file")
        }
    }

    @Test("has a limit that no length gets around, and is judged before anything is read")
    func limits() {
        let huge = HTTPBody.Part.file(none, offset: 0, length: .max)
        #expect(kind(HTTPBody(parts: [huge]), upTo: 1000) == .bodyTooLarge)
        #expect(kind(HTTPBody(parts: [huge, huge])) == .bodyTooLarge)
        #expect(kind(HTTPBody(parts: [.file(none, offset: .max, length: 1)])) == .unreadableBody)
        #expect(kind(HTTPBody.bytes(Data([1])), upTo: 0) == .bodyTooLarge)
    }
}
