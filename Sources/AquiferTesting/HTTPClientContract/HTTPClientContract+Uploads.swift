import Aquifer
import Foundation

extension HTTPClientContract {
    static let uploads: [Check] = [
        Check(.uploads, "The method and the fields of a request go out as they are") { trial in
            let seen = Watched<LoopbackConnection.Request?>(nil)
            let server = try LoopbackServer.answering { connection, request in
                seen.update { $0 = request }
                try connection.respond()
            }
            _ = try await trial.data(
                HTTPRequest("DELETE", server.url("/x%20y?q=1"), headers: ["X-Key": "value", "Accept": "text/plain"]))
            let request = seen.update { $0 }
            try trial.expect(request?.method, is: "DELETE", "the method")
            try trial.expect(request?.target, is: "/x%20y?q=1", "the target")
            try trial.expect(request?.value("X-Key"), is: "value", "a field")
            try trial.expect(request?.value("Accept"), is: "text/plain", "the Accept field")
            try trial.expect(request?.value("Host"), is: "127.0.0.1:\(server.port)", "the Host field")
            try trial.expect(request?.value("Cookie"), is: nil, "a Cookie field")
        },
        Check(.uploads, "A field with a line break, or without a name, is refused before anything is sent") { trial in
            let server = try LoopbackServer.answering { connection, _ in try connection.respond() }
            for field in [("X-A", "1\r\nX-B: 2"), ("X-A", "1\rb"), ("X-A: 1\r\nX-B", "2"), ("", "1")] {
                let headers = HTTPHeaders([.init(field.0, field.1)])
                try await trial.expectFailure(.malformed, HTTPRequest(.get, server.url(), headers: headers))
            }
            try trial.expect(server.connections, is: 0, "the number of connections")
        },
        Check(.uploads, "A body of bytes and slices of files arrives whole, with its length") { trial in
            let file = FileManager.default.temporaryDirectory.appending(path: "aquifer-\(UUID().uuidString)")
            let content = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try content.write(to: file)
            defer { removeForGood(file) }
            let body = HTTPBody(parts: [
                .bytes(Data("head".utf8)), .file(file, offset: 3, length: 700_000), .bytes(Data()),
                .file(file, offset: 0, length: 5), .bytes(Data("tail".utf8)),
            ])
            let server = try LoopbackServer.answering { connection, request in
                try connection.respond(
                    fields: ["X-Length: \(request.value("Content-Length") ?? "none")"], body: request.body)
            }
            let response = try await trial.client.send(HTTPRequest(.post, server.url(), body: body))
            try trial.expect(response.head.headers["X-Length"], is: "\(body.length)", "the Content-Length")
            let expected = Data("head".utf8) + content[3..<700_003] + content[..<5] + Data("tail".utf8)
            let sent = try await response.data(upTo: 1 << 21)
            try trial.expect(
                sent == expected, "\(sent.count) bytes arrived, and not the \(expected.count) that were sent")
        },
        Check(.uploads, "The sender is told how much of a body has gone out, up to its length") { trial in
            let told = Watched([UInt64]())
            let server = try LoopbackServer.answering { connection, _ in try connection.respond() }
            let body = HTTPBody(parts: [.bytes(Data(count: 300_000)), .bytes(Data(count: 200_000))])
            let request = HTTPRequest(.post, server.url(), body: body) { sent in told.update { $0.append(sent) } }
            _ = try await trial.data(request)
            let numbers = told.update { $0 }
            try trial.expect(numbers.last, is: body.length, "the last number")
            try trial.expect(numbers == numbers.sorted(), "the numbers went back: \(numbers)")
            try trial.expect(numbers.count > 1, "it was told once, and not on the way")
        },
        Check(.uploads, "A POST of nothing says that its length is 0") { trial in
            let server = try LoopbackServer.answering { connection, request in
                try connection.respond(body: Data((request.value("Content-Length") ?? "none").utf8))
            }
            let data = try await trial.data(HTTPRequest(.post, server.url(), body: .bytes(Data())))
            try trial.expect(data, is: Data("0".utf8), "the Content-Length")
        },
        Check(.uploads, "A file that is missing or too short is an unreadable body") { trial in
            let file = FileManager.default.temporaryDirectory.appending(path: "aquifer-\(UUID().uuidString)")
            let server = try LoopbackServer.answering { connection, _ in try connection.respond() }
            let body = HTTPBody(parts: [.file(file, offset: 0, length: 1000)])
            try await trial.expectFailure(.unreadableBody, HTTPRequest(.post, server.url(), body: body))
            try Data(count: 999).write(to: file)
            defer { removeForGood(file) }
            try await trial.expectFailure(.unreadableBody, HTTPRequest(.post, server.url(), body: body))
        },
    ]

    private static func removeForGood(_ file: URL) {
        // A file left in the temporary folder harms nobody.
        try? FileManager.default.removeItem(at: file)
    }
}
