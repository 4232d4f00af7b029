import Aquifer
import Foundation

extension HTTPClientContract {
    static let redirects: [Check] = [
        Check(.redirects, "A redirect is followed, and the head says where the answer came from") { trial in
            let server = try redirecting { $0 == "/start" ? "/middle" : $0 == "/middle" ? "/end?x=1" : nil }
            let response = try await trial.client.send(HTTPRequest(.get, server.url("/start")))
            try trial.expect(response.head.status, is: 200, "the status")
            try trial.expect(
                response.head.url, is: server.url("/end").appending(queryItems: [.init(name: "x", value: "1")]),
                "the URL")
            try trial.expect(try await response.data(upTo: 100), is: Data("/end?x=1".utf8), "the body")
        },
        Check(.redirects, "Another origin learns nothing of the credentials") { trial in
            let other = try LoopbackServer.answering { connection, request in
                try connection.respond(body: Data((request.value("Authorization") ?? "none").utf8))
            }
            let target = other.url("/there").absoluteString
            let server = try redirecting { $0 == "/start" ? target : nil }
            let request = HTTPRequest(.get, server.url("/start"), headers: ["Authorization": "Bearer secret"])
            try trial.expect(try await trial.data(request), is: Data("none".utf8), "the Authorization field")
        },
        Check(.redirects, "A redirect takes no validators along, and a 304 behind it is no answer") { trial in
            let server = try LoopbackServer.answering { connection, request in
                switch request.target {
                case "/start": try connection.respond(status: "302 Found", fields: ["Location: /end"])
                case "/portal": try connection.respond(status: "302 Found", fields: ["Location: /unchanged"])
                case "/unchanged": try connection.respond(status: "304 Not Modified")
                default:
                    let told = ["If-None-Match", "If-Modified-Since"].compactMap { request.value($0) }
                    try connection.respond(body: Data((told.first ?? "none").utf8))
                }
            }
            func request(_ path: String) -> HTTPRequest {
                HTTPRequest(
                    .get, server.url(path),
                    headers: ["If-None-Match": "\"1\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"])
            }
            try trial.expect(try await trial.data(request("/start")), is: Data("none".utf8), "the validators")
            let unchanged = try await trial.client.send(request("/unchanged"))
            try trial.expect(unchanged.head.status, is: 304, "the status without a redirect")
            try await trial.expectFailure(.malformed, request("/portal"))
        },
        Check(.redirects, "As many redirects as allowed are followed, and not one more") { trial in
            let server = try redirecting { path in
                Int(path.dropFirst()).flatMap { $0 > 0 ? "/\($0 - 1)" : nil }
            }
            let limits = HTTPRequest.Limits(redirects: 3)
            try trial.expect(
                try await trial.data(HTTPRequest(.get, server.url("/3"), limits: limits)), is: Data("/0".utf8),
                "the body")
            try await trial.expectFailure(.tooManyRedirects, HTTPRequest(.get, server.url("/4"), limits: limits))
        },
        Check(.redirects, "A redirect in a circle ends") { trial in
            let server = try redirecting { $0 }
            try await trial.expectFailure(.tooManyRedirects, HTTPRequest(.get, server.url("/again")))
        },
        Check(.redirects, "A redirect to another scheme than http and https is refused") { trial in
            for target in ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"] {
                let server = try redirecting { _ in target }
                try await trial.expectFailure(.tooManyRedirects, HTTPRequest(.get, server.url()))
            }
        },
        Check(.redirects, "A redirected POST becomes a GET without a body after 303; after 307 the body goes again") {
            trial in
            let server = try LoopbackServer.answering { connection, request in
                switch request.target {
                case "/303": try connection.respond(status: "303 See Other", fields: ["Location: /end"])
                case "/307": try connection.respond(status: "307 Temporary Redirect", fields: ["Location: /end"])
                default: try connection.respond(body: Data("\(request.method) ".utf8) + request.body)
                }
            }
            for (path, expected) in [("/303", "GET "), ("/307", "POST body")] {
                let request = HTTPRequest(
                    .post, server.url(path), body: .bytes(Data("body".utf8)), followsRedirects: true)
                try trial.expect(try await trial.data(request), is: Data(expected.utf8), "what came to \(path)")
            }
        },
    ]

    /// A server that redirects each path to another, or answers with the path.
    private static func redirecting(_ target: @escaping @Sendable (String) -> String?) throws -> LoopbackServer {
        try .answering { connection, request in
            if let location = target(request.target) {
                try connection.respond(status: "302 Found", fields: ["Location: \(location)"], body: Data("moved".utf8))
            } else {
                try connection.respond(body: Data(request.target.utf8))
            }
        }
    }
}
