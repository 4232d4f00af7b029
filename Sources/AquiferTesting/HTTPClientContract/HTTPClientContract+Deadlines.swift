import Aquifer
import Foundation

/// Requests that may be sent for a while only (`HTTPRequest.maySend`). A client that says it does not ask promises none of this.
extension HTTPClientContract {
    static let deadlines: [Check] = [
        Check(.limits, "What may not be sent any more is not sent, and is asked about when there is a connection") {
            trial in
            guard trial.client.asksBeforeSending else { return }
            let heard = Watched<Bool?>(nil)
            let server = try LoopbackServer { connection in
                // A connection that is reset has brought nothing either.
                let bytes = try? connection.readBytes()
                heard.update { $0 = bytes == nil }
            }
            var request = HTTPRequest(.post, server.url(), body: .bytes(Data("x".utf8)))
            request.maySend = { false }
            try await trial.expectFailure(.timedOut, request)
            try await trial.expect(heard, "something was sent")
        },
        Check(.limits, "What may be sent is asked about once, and has a connection of its own") { trial in
            guard trial.client.asksBeforeSending else { return }
            let hasEnded = Watched<Bool?>(nil)
            let server = try LoopbackServer { connection in
                while let request = try connection.readRequest() {
                    try connection.respond()
                    guard request.target == "/once" else { continue }
                    do {
                        let more = try connection.readBytes()
                        hasEnded.update { $0 = more == nil }
                    } catch { hasEnded.update { $0 = false } }
                    return
                }
            }
            let questions = Watched(0)
            _ = try await trial.data(HTTPRequest(.get, server.url()))
            var request = HTTPRequest(.get, server.url("/once"))
            request.maySend = { questions.update { $0 += 1 } == () }
            _ = try await trial.data(request)
            try trial.expect(questions.update { $0 }, is: 1, "the number of questions")
            _ = try await trial.data(HTTPRequest(.get, server.url()))
            try trial.expect(server.connections, is: 2, "the number of connections")
            try await trial.expect(hasEnded, "the answered connection was reset")
        },
        Check(.limits, "What was asked about is sent once, however its connection ends") { trial in
            guard trial.client.asksBeforeSending else { return }
            let requests = Watched(0)
            let server = try LoopbackServer { connection in
                while let request = try connection.readRequest() {
                    requests.update { $0 += request.method == "DELETE" ? 1 : 0 }
                    if request.method == "DELETE" { return }
                    try connection.respond()
                }
            }
            _ = try await trial.data(HTTPRequest(.get, server.url()))
            var request = HTTPRequest(.delete, server.url())
            request.maySend = { true }
            try await trial.expectFailure(.interrupted, request)
            try trial.expect(requests.update { $0 }, is: 1, "the number of requests")
        },
    ]
}
