import Aquifer
import Foundation

extension HTTPClientContract {
    static let failures: [Check] = [
        Check(.failures, "Another scheme than http and https, or no host, is an unsupported URL") { trial in
            for text in ["ftp://127.0.0.1/", "file:///etc/passwd", "data:,x", "relative/path", "http:///path"] {
                guard let url = URL(string: text) else { continue }
                try await trial.expectFailure(.unsupportedURL, HTTPRequest(.get, url))
            }
        },
        Check(.failures, "A port where nobody listens cannot be connected to") { trial in
            let server = try LoopbackServer { _ in }
            let url = server.url()
            server.stop()
            // The socket closes on the server's thread: until then the connection is taken and dropped.
            var last = TransportError(.interrupted)
            for _ in 0..<1000 where last.kind == .interrupted {
                do throws(TransportError) {
                    _ = try await trial.client.send(HTTPRequest(.get, url))
                } catch {
                    last = error
                }
            }
            try trial.expect(last.kind, is: .cannotConnect, "the failure")
        },
        Check(.failures, "A host without an address cannot be resolved") { trial in
            guard let url = URL(string: "http://nobody.invalid/") else { return }
            try await trial.expectFailure(.cannotResolve, HTTPRequest(.get, url))
        },
        Check(.failures, "A connection that ends before the answer is an interruption") { trial in
            let server = try LoopbackServer { connection in _ = try connection.readRequest() }
            try await trial.expectFailure(.interrupted, HTTPRequest(.get, server.url()))
        },
        Check(.failures, "A body that is cut is an interruption, never a whole body") { trial in
            let server = try LoopbackServer { connection in
                guard let request = try connection.readRequest() else { return }
                switch request.target {
                case "/chunked":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf"
                    )
                case "/between":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
                    )
                default:
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\nhalf")
                }
                if request.target == "/reset" { connection.reset() }
            }
            for path in ["/length", "/chunked", "/between", "/reset"] {
                try await trial.expectFailure(.interrupted, HTTPRequest(.get, server.url(path)))
            }
        },
        Check(.failures, "What is not HTTP is malformed") { trial in
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                try connection.send("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n\r\n")
            }
            try await trial.expectFailure(.malformed, HTTPRequest(.get, server.url()))
        },
        Check(.failures, "A server that speaks no TLS is insecure for https") { trial in
            let server = try LoopbackServer { connection in try connection.respond() }
            var components = URLComponents(url: server.url(), resolvingAgainstBaseURL: false)
            components?.scheme = "https"
            guard let url = components?.url else { return }
            try await trial.expectFailure(.insecure, HTTPRequest(.get, url))
        },
        Check(.failures, "A request that may have been carried out is not said to be unsent") {
            trial in
            for method in ["DELETE", "PUT", "POST"] as [HTTPMethod] {
                let asked = Watched(0)
                let server = Watched<LoopbackServer?>(nil)
                let listening = try LoopbackServer { connection in
                    while let request = try connection.readRequest() {
                        guard request.method != "GET" else {
                            try connection.respond()
                            continue
                        }
                        // It carries the request out, and ends: listener first.
                        asked.update { $0 += 1 }
                        guard let ending = server.update({ $0 }) else { return }
                        ending.stop()
                        while Socket.knock(port: ending.port) {}
                        return
                    }
                }
                server.update { $0 = listening }
                _ = try await trial.data(HTTPRequest(.get, listening.url()))
                try await trial.expectFailure(.interrupted, HTTPRequest(method, listening.url("/deed")))
                try trial.expect(asked.update { $0 }, is: 1, "how often \(method.rawValue) was carried out")
                server.update { $0 = nil }
            }
        },
        Check(.failures, "A client goes on working after failures") { trial in
            let server = try LoopbackServer { connection in
                guard let request = try connection.readRequest(), request.target == "/good" else { return }
                try connection.respond(body: Data("good".utf8))
            }
            for _ in 0..<10 {
                try await trial.expectFailure(.interrupted, HTTPRequest(.get, server.url("/bad")))
                let data = try await trial.data(HTTPRequest(.get, server.url("/good")))
                try trial.expect(data, is: Data("good".utf8), "the body")
            }
        },
    ]
}
