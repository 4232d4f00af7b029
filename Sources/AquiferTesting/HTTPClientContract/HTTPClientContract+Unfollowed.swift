import Aquifer
import Foundation

extension HTTPClientContract {
    /// The redirects that are not followed. They are part of the topic of redirects.
    static let unfollowedRedirects: [Check] = [
        Check(.redirects, "A request that changes something follows no redirect: the answer is delivered as it is") {
            trial in
            let asked = Watched([String]())
            let server = try redirectingByStatus(to: "/end", asked)
            for method in ["POST", "PUT", "PATCH", "DELETE", "REPORT"] as [HTTPMethod] {
                for status in redirectStatuses {
                    let body = HTTPBody.bytes(Data("body".utf8))
                    let response = try await trial.client.send(
                        HTTPRequest(method, server.url("/\(status)"), body: method == "DELETE" ? nil : body))
                    let what = "\(method.rawValue) and \(status)"
                    try trial.expect(response.head.status, is: status, "the status after \(what)")
                    try trial.expect(response.head.headers["Location"], is: "/end", "the Location after \(what)")
                    try trial.expect(response.head.url, is: server.url("/\(status)"), "the URL after \(what)")
                    try trial.expect(try await response.data(upTo: 5), is: Data("moved".utf8), "the body after \(what)")
                }
            }
            let paths = asked.update { $0 }
            try trial.expect(!paths.contains("/end"), "a request came to where the redirect leads")
        },
        Check(.redirects, "A request that is not to be redirected is not, whatever its method") { trial in
            let asked = Watched([String]())
            let server = try redirectingByStatus(to: "/end", asked)
            for status in redirectStatuses {
                let response = try await trial.client.send(
                    HTTPRequest(.get, server.url("/\(status)"), followsRedirects: false))
                try trial.expect(response.head.status, is: status, "the status")
                _ = try await response.data(upTo: 5)
            }
            let paths = asked.update { $0 }
            try trial.expect(!paths.contains("/end"), "a request came to where the redirect leads")
        },
        Check(.redirects, "A body never goes to another origin") { trial in
            let other = try LoopbackServer.answering { connection, _ in try connection.respond() }
            let asked = Watched([String]())
            let server = try redirectingByStatus(to: other.url("/elsewhere").absoluteString, asked)
            for (method, status) in [(.post, 307), (.post, 308), ("PUT", 301), ("PUT", 302), (.get, 307)]
                as [(HTTPMethod, Int)]
            {
                let response = try await trial.client.send(
                    HTTPRequest(
                        method, server.url("/\(status)"), body: .bytes(Data("number and code".utf8)),
                        followsRedirects: true))
                try trial.expect(response.head.status, is: status, "the status after \(method.rawValue)")
                _ = try await response.data(upTo: 5)
            }
            try trial.expect(other.connections, is: 0, "the number of connections to the other origin")
        },
        Check(.redirects, "A request that was redirected to nobody is not said to be unsent") {
            trial in
            let gone = try LoopbackServer { _ in }
            gone.stop()
            while Socket.knock(port: gone.port) {}
            let server = try redirectingByStatus(to: gone.url().absoluteString, Watched([]))
            for body in [HTTPBody.bytes(Data("question".utf8)), nil] {
                try await trial.expectFailure(
                    .interrupted, HTTPRequest(.post, server.url("/303"), body: body, followsRedirects: true))
            }
        },
        Check(.redirects, "A redirect that leaves the body behind may lead to another origin") { trial in
            let other = try LoopbackServer.answering { connection, request in
                try connection.respond(body: Data("\(request.method) \(request.body.count)".utf8))
            }
            let asked = Watched([String]())
            let server = try redirectingByStatus(to: other.url("/result").absoluteString, asked)
            let request = HTTPRequest(
                .post, server.url("/303"), body: .bytes(Data("question".utf8)), followsRedirects: true)
            try trial.expect(try await trial.data(request), is: Data("GET 0".utf8), "what came to the other origin")
        },
    ]

    private static let redirectStatuses = [301, 302, 303, 307, 308]

    /// A server whose path `/303` answers with that status and this `Location`, and any other with its path.
    private static func redirectingByStatus(
        to target: String, _ asked: Watched<[String]>
    ) throws -> LoopbackServer {
        try .answering { connection, request in
            asked.update { $0.append(request.target) }
            guard let status = Int(request.target.dropFirst()) else {
                return try connection.respond(body: Data(request.target.utf8))
            }
            try connection.respond(
                status: "\(status) Moved", fields: ["Location: \(target)"], body: Data("moved".utf8))
        }
    }
}
