import Foundation
import HTTPServer
import Testing

@Suite("Heads that can be read in two ways", .timeLimit(.minutes(10)))
struct RequestHeadTests {
    private static let body = "3\r\nabc\r\n0\r\n\r\n"

    @Test(
        "A request whose end, host or sender is told twice is answered 400 and closed, and nothing behind it is read",
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\ncontent-length: 3\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc",
            "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
            "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX(Y): z\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun\r\n\tked\r\nX: y\r\n\r\n" + body,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\0x\r\n\r\n" + body,
            "GET / HTTP/1.1\r\nHost: a\0b\r\nX: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: a\rContent-Length: 3\r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n",
        ])
    func refused(request: String) async throws {
        let handled = Event()
        let server = try HTTPServer { _ in
            handled.signal()
            return .text("in")
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send(request + "GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let all = String(decoding: try client.restOfConnection(), as: UTF8.self)
            #expect(all.hasPrefix("HTTP/1.1 400 ") && !all.contains("HTTP/1.1 200"), "\(all)")
        }
        #expect(handled.count == 0)
        await server.stop()
    }

    @Test(
        "A length that is no request's is refused at once, and not waited for",
        arguments: ["18446744073709551615", "99999999999999999999"])
    func impossibleLength(length: String) async throws {
        let server = try HTTPServer { _ in .text("in") }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
            #expect([400, 413].contains(try client.head().status))
        }
        await server.stop()
    }

    @Test(
        "What libmicrohttpd refuses by its head, or amid its chunks, gets one answer, in our words",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;"
                    + String(repeating: "x", count: 200_000), 400
            ),
        ])
    func oneAnswer(request: String, status: Int) async throws {
        let server = try HTTPServer.listening(.init(serverName: "Us")) { _ in
            HTTPServer.Answers(
                gate: { _ in .known },
                refused: { _, response in
                    var response = response
                    response.headers["X-Told"] = "yes"
                    return response
                }, handler: { _ in .text("in") })
        }
        try await onThread { [port = server.port] in
            // Others that wait for their next request, or send a body, or read an answer, are not taken for it.
            let idle = try RawClient(port: port)
            #expect(try idle.get("/").text == "in")
            let sending = try RawClient(port: port)
            try sending.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
            let client = try RawClient(port: port)
            // In two pieces: nothing tells the server whose the second one is.
            try client.send(String(request.prefix(20)))
            #expect(try idle.get("/").text == "in")
            // What is sent after the refusal is refused in its turn.
            try? client.send(String(request.dropFirst(20)))
            let answer = try client.answer()
            #expect(answer.status == status && answer.headers["x-told"] == "yes")
            #expect(answer.headers["content-type"] == "text/plain; charset=utf-8" && !answer.text.isEmpty)
            #expect(answer.headers["connection"] == "close" && answer.headers["server"] == "Us")
            #expect(answer.headers["date"] != nil)
            #expect(try client.restOfConnection().isEmpty)
            try sending.send("cd")
            #expect(try sending.answer().text == "in")
            #expect(try idle.get("/").text == "in")
        }
        await server.stop()
    }

    @Test(
        "What can be read in one way only is handled",
        arguments: [
            ("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "0"), ("GET http://A/ HTTP/1.1\r\nHost: a\r\n\r\n", "0"),
            ("GET / HTTP/1.1\r\nHost: a\r\nAccept: x\r\nAccept: y\r\nX_y.z-1: \u{9}é\r\n\r\n", "0"),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n" + body, "3"),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\n\r\nabc", "3"),
            ("PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n", "0"),
            ("GET /?q=1&r HTTP/1.1\r\nHost:a\r\nX:\r\nY:   \t z\r\n\r\n", "0"),
            ("\r\nGET / HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\nX: a:b \r\n\r\n", "0"),
            ("GET /?q=1&r HTTP/1.1\nHost: a\nX: y\n\n", "0"), ("GET /a%20b?%00=%0D HTTP/1.1\r\nHost: a\r\n\r\n", "0"),
        ])
    func handled(request: String, bytes: String) async throws {
        let server = try HTTPServer { request in
            do { return .text("\(try await request.body.collect(upTo: 10).count)") } catch { return .empty(500) }
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send(request)
            #expect(try client.answer().text == bytes)
        }
        await server.stop()
    }
}
