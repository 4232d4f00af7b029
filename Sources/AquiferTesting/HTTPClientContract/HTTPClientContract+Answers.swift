import Aquifer
import Foundation

extension HTTPClientContract {
    static let answers: [Check] = [
        Check(.answers, "The status, the fields and the body arrive as they were sent") { trial in
            let server = try LoopbackServer.answering { connection, _ in
                try connection.respond(
                    status: "418 I'm a teapot", fields: ["X-One: 1", "x-two:  two words "], body: Data("tea".utf8))
            }
            let response = try await trial.client.send(HTTPRequest(.get, server.url("/pot?a=b")))
            try trial.expect(response.head.status, is: 418, "the status")
            try trial.expect(response.head.headers["x-one"], is: "1", "a field")
            try trial.expect(response.head.headers["X-Two"], is: "two words", "a field with white space around it")
            try trial.expect(response.head.url, is: server.url("/pot?a=b"), "the URL")
            try trial.expect(try await response.data(upTo: 3), is: Data("tea".utf8), "the body")
        },
        Check(.answers, "The head comes before the body, and each chunk as it arrives") { trial in
            let goOn = DispatchSemaphore(value: 0)
            let server = try LoopbackServer.answering { connection, _ in
                try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 6\r\n\r\n")
                for chunk in ["one", "two"] {
                    guard goOn.wait(timeout: .now() + 10) == .success else { return }
                    try connection.send(chunk)
                }
            }
            let response = try await trial.client.send(HTTPRequest(.get, server.url()))
            for chunk in ["one", "two"] {
                goOn.signal()
                try trial.expect(try await response.body.next(), is: Data(chunk.utf8), "a chunk")
            }
            try trial.expect(try await response.body.next(), is: nil, "the end")
        },
        Check(.answers, "Answers before the final one are skipped") { trial in
            let server = try LoopbackServer.answering { connection, _ in
                try connection.send("HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n")
                try connection.respond(body: Data("final".utf8))
            }
            let response = try await trial.client.send(HTTPRequest(.get, server.url()))
            try trial.expect(response.head.status, is: 200, "the status")
            try trial.expect(response.head.headers["X-Early"], is: nil, "a field of the first answer")
            try trial.expect(try await response.data(upTo: 5), is: Data("final".utf8), "the body")
        },
        Check(.answers, "A body ends with its last chunk, or with the connection, if its length is not known") {
            trial in
            let server = try LoopbackServer.answering { connection, request in
                if request.target == "/chunked" {
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
                    try connection.send("3\r\none\r\n3\r\ntwo\r\n0\r\nX-Trailer: t\r\n\r\n")
                } else {
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\nonetwo")
                    throw POSIXError(.ECANCELED)
                }
            }
            for path in ["/chunked", "/closed"] {
                let data = try await trial.data(HTTPRequest(.get, server.url(path)))
                try trial.expect(data, is: Data("onetwo".utf8), "the body of \(path)")
            }
        },
        Check(.answers, "HEAD, 204, 304 and an empty body have no chunks") { trial in
            let server = try LoopbackServer.answering { connection, request in
                switch request.target {
                case "/204": try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
                case "/304": try connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")
                case "/head":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
                default: try connection.respond()
                }
            }
            for path in ["/204", "/304", "/head", "/empty"] {
                let method: HTTPMethod = path == "/head" ? "HEAD" : .get
                let response = try await trial.client.send(HTTPRequest(method, server.url(path)))
                try trial.expect(try await response.body.next(), is: nil, "the first chunk of \(path)")
                if path == "/head" { try trial.expect(response.head.contentLength, is: 1000, "the announced length") }
            }
        },
        Check(.answers, "Bytes that are not ASCII in a field do no harm") { trial in
            let server = try LoopbackServer.answering { connection, _ in
                try connection.send(Data("HTTP/1.1 200 OK\r\nX-Name: ".utf8) + [0xE9, 0xFF, 0x80] + Data("\r\n".utf8))
                try connection.send("X-Utf: é\r\nContent-Length: 2\r\n\r\nok")
            }
            let response = try await trial.client.send(HTTPRequest(.get, server.url()))
            try trial.expect(try await response.data(upTo: 2), is: Data("ok".utf8), "the body")
        },
        Check(.answers, "A hundred requests at once get each their own answer") { trial in
            let server = try LoopbackServer.answering { connection, request in
                try connection.respond(body: Data(request.target.utf8))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let data = try await trial.data(HTTPRequest(.get, server.url("/\(number)")))
                        try trial.expect(data, is: Data("/\(number)".utf8), "answer \(number)")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}
