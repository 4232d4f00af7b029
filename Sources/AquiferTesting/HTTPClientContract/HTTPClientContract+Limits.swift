import Aquifer
import Foundation

extension HTTPClientContract {
    static let limits: [Check] = [
        Check(.limits, "More header bytes than allowed are refused, in one field or in many") { trial in
            let server = try LoopbackServer { connection in
                guard let request = try connection.readRequest() else { return }
                try connection.send("HTTP/1.1 200 OK\r\n")
                if request.target == "/one" {
                    try connection.send("X-Bomb: " + String(repeating: "b", count: 1 << 20))
                } else {
                    for number in 0..<20_000 { try connection.send("X-Bomb-\(number): boom\r\n") }
                }
                try connection.send("\r\n\r\n")
            }
            let limits = HTTPRequest.Limits(headerBytes: 16 << 10)
            for path in ["/one", "/many"] {
                try await trial.expectFailure(.headersTooLarge, HTTPRequest(.get, server.url(path), limits: limits))
            }
        },
        Check(.limits, "Trailers without end behind a whole body reach the limit of the header bytes") { trial in
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
                // More than any client should take, and not so much that one without a bound would harm this machine.
                for number in 0..<100_000 { try connection.send("X-Bomb-\(number): boom\r\n") }
                try connection.send("\r\n")
            }
            let limits = HTTPRequest.Limits(headerBytes: 16 << 10)
            try await trial.expectFailure(.headersTooLarge, HTTPRequest(.get, server.url(), limits: limits))
        },
        Check(.limits, "A server that takes the request and says nothing reaches the limit on silence") { trial in
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                _ = connection.waitForClose()
            }
            let limits = HTTPRequest.Limits(idle: .milliseconds(300))
            try await trial.expectFailure(.timedOut, HTTPRequest(.get, server.url(), limits: limits))
        },
        Check(.limits, "A body that stalls reaches the limit on silence, on a connection used again, too") { trial in
            let server = try LoopbackServer.answering { connection, request in
                if request.target == "/whole" { return try connection.respond(body: Data("whole".utf8)) }
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\nhalf")
                _ = connection.waitForClose()
            }
            _ = try await trial.data(HTTPRequest(.get, server.url("/whole")))
            let limits = HTTPRequest.Limits(idle: .milliseconds(300))
            try await trial.expectFailure(.timedOut, HTTPRequest(.get, server.url("/stall"), limits: limits))
        },
        Check(.limits, "A server that takes a body slowly is not silent, though the system holds what is left of it") {
            trial in
            // The reads take 2.6 s: 64 KiB every 20 ms. The system holds several megabytes, and needs longer for them than the limit on silence.
            let body = Data(count: 8 << 20)
            let server = try LoopbackServer { connection in
                connection.pauseBeforeReads = .milliseconds(20)
                guard let request = try connection.readRequest() else { return }
                try connection.respond(body: Data("\(request.body.count)".utf8))
            }
            let limits = HTTPRequest.Limits(idle: .milliseconds(300))
            let request = HTTPRequest(.put, server.url(), body: HTTPBody(parts: [.bytes(body)]), limits: limits)
            let answer = try await trial.data(request)
            try trial.expect(answer, is: Data("\(body.count)".utf8), "the number of bytes that arrived")
        },
        Check(.limits, "A server that stops taking a body, or takes it and says nothing, reaches the limit on silence")
        {
            trial in
            for (pause, length) in [(Duration.seconds(1), 32 << 20), (.zero, 1 << 20)] {
                // The system takes some megabytes, whether the server reads or not.
                let server = try LoopbackServer { connection in
                    connection.pauseBeforeReads = pause
                    if try connection.readRequest() != nil { _ = connection.waitForClose() }
                }
                let body = HTTPBody(parts: [.bytes(Data(count: length))])
                let limits = HTTPRequest.Limits(idle: .milliseconds(300))
                try await trial.expectFailure(.timedOut, HTTPRequest(.put, server.url(), body: body, limits: limits))
            }
        },
        Check(.limits, "An answer that keeps coming reaches the limit on the whole transfer") { trial in
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
                // Ends when the client does: writing then fails.
                for _ in 0..<2000 {
                    try connection.send("drip")
                    usleep(5000)
                }
            }
            let limits = HTTPRequest.Limits(total: .milliseconds(300))
            try await trial.expectFailure(.timedOut, HTTPRequest(.get, server.url(), limits: limits))
        },
        Check(.limits, "The limit on the whole transfer counts the redirects in") { trial in
            let server = try LoopbackServer.answering { connection, _ in
                usleep(20_000)
                try connection.respond(status: "302 Found", fields: ["Location: /"])
            }
            let limits = HTTPRequest.Limits(total: .milliseconds(300), redirects: 1000)
            try await trial.expectFailure(.timedOut, HTTPRequest(.get, server.url(), limits: limits))
        },
        Check(.limits, "What a compressed body inflates to reaches its reader's limit, however little was sent") {
            trial in
            let server = try LoopbackServer.answering { connection, request in
                let isAsked = request.value("Accept-Encoding")?.contains("gzip") == true
                try connection.respond(
                    fields: isAsked ? ["Content-Encoding: gzip"] : [],
                    body: isAsked ? GzippedZeros.packed : Data(count: GzippedZeros.count))
            }
            do {
                _ = try await trial.client.send(HTTPRequest(.get, server.url())).data(upTo: GzippedZeros.count - 1)
                throw ContractViolation(trial.promise, "\(GzippedZeros.count) bytes passed for one less")
            } catch let error as TransportError {
                try trial.expect(error.kind, is: .bodyTooLarge, "the failure")
            }
        },
        Check(.limits, "A body larger than its reader allows is refused, announced or not") { trial in
            let server = try LoopbackServer.answering { connection, request in
                if request.target == "/announced" { return try connection.respond(body: Data(count: 101)) }
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n")
                try connection.send(Data(count: 101))
                try connection.send("\r\n0\r\n\r\n")
            }
            for path in ["/announced", "/chunked"] {
                do {
                    _ = try await trial.client.send(HTTPRequest(.get, server.url(path))).data(upTo: 100)
                    throw ContractViolation(trial.promise, "101 bytes passed for 100")
                } catch let error as TransportError {
                    try trial.expect(error.kind, is: .bodyTooLarge, "the failure")
                }
            }
        },
    ]

    static let backPressure: [Check] = [
        Check(.backPressure, "A sender is held back by a reader who does not read, and goes on when it does") { trial in
            let limit = 64 << 20
            let taken = Watched<Int?>(nil)
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(limit)\r\n\r\n")
                let count = try connection.fill(upTo: limit)
                taken.update { $0 = count }
                try connection.send(Data(count: limit - count))
            }
            // A reader is not silent: its slowness never counts as the other side's.
            let limits = HTTPRequest.Limits(idle: .milliseconds(300))
            let response = try await trial.client.send(HTTPRequest(.get, server.url(), limits: limits))
            var received = try await response.body.next()?.count ?? 0
            let count = await taken.first { $0 } ?? limit
            try trial.expect(count < limit / 2, "\(count) bytes were taken though nobody read them")
            while let chunk = try await response.body.next() { received += chunk.count }
            try trial.expect(received, is: limit, "the number of bytes in the end")
        }
    ]
}
