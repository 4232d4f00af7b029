import Aquifer
import Foundation

extension HTTPClientContract {
    static let cancellation: [Check] = [
        Check(.cancellation, "Cancelling the task that waits for the head closes the connection") { trial in
            let (asked, closed) = (Watched<Bool?>(nil), Watched<Bool?>(nil))
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                asked.update { $0 = true }
                let hasClosed = connection.waitForClose()
                closed.update { $0 = hasClosed }
            }
            let waiting = Task { try await trial.data(HTTPRequest(.get, server.url())) }
            try await trial.expect(asked, "no request came")
            waiting.cancel()
            try await trial.expect(closed, "the connection stayed open")
            try await trial.expectCancelled(waiting)
        },
        Check(.cancellation, "Cancelling the task that reads the body closes the connection") { trial in
            let closed = Watched<Bool?>(nil)
            let server = try half(closed)
            let hasRead = Watched<Bool?>(nil)
            let reading = Task {
                let response = try await trial.client.send(HTTPRequest(.get, server.url()))
                _ = try await response.body.next()
                hasRead.update { $0 = true }
                return try await response.body.next() ?? Data()
            }
            try await trial.expect(hasRead, "no chunk came")
            reading.cancel()
            try await trial.expect(closed, "the connection stayed open")
            try await trial.expectCancelled(reading)
        },
        Check(.cancellation, "Dropping the body closes the connection") { trial in
            let closed = Watched<Bool?>(nil)
            let server = try half(closed)
            _ = try await trial.client.send(HTTPRequest(.get, server.url()))
            try await trial.expect(closed, "the connection stayed open")
        },
        Check(.cancellation, "A task that is cancelled before it sends sends nothing") { trial in
            let server = try LoopbackServer { connection in try connection.respond() }
            let sending = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await trial.data(HTTPRequest(.get, server.url()))
            }
            sending.cancel()
            try await trial.expectCancelled(sending)
            try trial.expect(server.connections, is: 0, "the number of connections")
        },
        Check(.cancellation, "Cancelling one request leaves the others alone") { trial in
            let asked = Watched(0)
            let server = try LoopbackServer.answering { connection, request in
                asked.update { $0 += 1 }
                if request.target == "/held" { _ = connection.waitForClose() }
                try connection.respond(body: Data("answer".utf8))
            }
            let held = Task { try await trial.data(HTTPRequest(.get, server.url("/held"))) }
            _ = await asked.first { $0 > 0 ? true : nil }
            let response = try await trial.client.send(HTTPRequest(.get, server.url("/free")))
            held.cancel()
            try await trial.expectCancelled(held)
            try trial.expect(try await response.data(upTo: 6), is: Data("answer".utf8), "the other body")
        },
    ]

    /// A server that sends half a body, and waits for the other side to leave.
    private static func half(_ closed: Watched<Bool?>) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\nhalf")
            let hasClosed = connection.waitForClose()
            closed.update { $0 = hasClosed }
        }
    }
}

extension Trial {
    fileprivate func expectCancelled(_ task: Task<Data, any Error>) async throws {
        switch await task.result {
        case .success(let data): throw ContractViolation(promise, "there was an answer of \(data.count) bytes")
        case .failure(let error as TransportError): try expect(error.kind, is: .cancelled, "the failure")
        case .failure(let error): throw error
        }
    }
}
