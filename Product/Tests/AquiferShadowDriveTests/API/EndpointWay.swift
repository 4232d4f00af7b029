import Aquifer
import AquiferConcurrency
import AquiferCurl
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import AquiferShadowDrive

/// The two ways to an endpoint: in process, and over a socket. The same tests run over both.
enum EndpointWay: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case inProcess = "in process"
    case socket = "over a socket"

    var testDescription: String { rawValue }

    /// A request as it came to the server.
    struct Seen: Sendable {
        let method: String
        let target: String
        let contentType: String
        let authorization: String?
        let body: String
    }

    /// The outcome of one call.
    struct Outcome {
        let error: DriveError?
        let seen: [Seen]
    }

    /// Calls an endpoint of a server that replies so, one after another, the last reply for ever.
    func call(
        _ endpoint: Endpoint, _ replies: [ScriptedHTTPClient.Reply], retry: RetryPolicy = .never
    ) async throws -> Outcome {
        let left = Locked(replies)
        let next: @Sendable () -> ScriptedHTTPClient.Reply = {
            left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
        switch self {
        case .inProcess:
            let client = ScriptedHTTPClient { _ in next() }
            let api = ShadowDriveAPI(base: DriveWorld.base, files: DriveWorld.files, client: client, retry: retry)
            let error = await failure { () async throws(DriveError) in try await endpoint.call(api) }
            return Outcome(error: error, seen: client.requests.map(Seen.init))
        case .socket:
            let seen = Locked<[Seen]>([])
            let server = try HTTPServer { request in
                let body = (try? await request.body.collect(upTo: 1 << 20)) ?? Data()
                seen.withLock { $0.append(Seen(request, body)) }
                return ServerResponse(next())
            }
            let base = URL(string: "http://127.0.0.1:\(server.port)")!
            let api = ShadowDriveAPI(base: base, files: DriveWorld.files, client: CurlHTTPClient(), retry: retry)
            let error = await failure { () async throws(DriveError) in try await endpoint.call(api) }
            await server.stop(grace: .zero)
            return Outcome(error: error, seen: seen.withLock { $0 })
        }
    }

    /// The error of such a call.
    func error(of endpoint: Endpoint, _ reply: ScriptedHTTPClient.Reply) async throws -> DriveError? {
        try await call(endpoint, [reply]).error
    }
}

extension EndpointWay.Seen {
    init(_ request: HTTPRequest) {
        let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        self.init(
            method: request.method.rawValue, target: request.url.path(percentEncoded: true) + query,
            contentType: request.headers["Content-Type"] ?? "", authorization: request.headers["Authorization"],
            body: request.wire)
    }

    init(_ request: ServerRequest, _ body: Data) {
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        self.init(
            method: request.method.rawValue, target: request.rawPath + (query.isEmpty ? "" : "?\(query)"),
            contentType: request.headers["Content-Type"] ?? "",
            authorization: request.headers["Authorization"], body: String(decoding: body, as: UTF8.self))
    }

    /// The fields of a form that are no file, and the names of those that are.
    var form: (fields: [String: String], files: [String]) {
        var (fields, files) = ([String: String](), [String]())
        guard let boundary = contentType.split(separator: "boundary=").dropFirst().first else { return (fields, files) }
        for part in body.components(separatedBy: "--\(boundary)") {
            let halves = part.components(separatedBy: "\r\n\r\n")
            guard halves.count == 2, let name = halves[0].firstMatch(of: #/; name="([^"]*)"/#)?.1 else { continue }
            if let file = halves[0].firstMatch(of: #/filename="([^"]*)"/#)?.1 {
                files.append(String(file))
            } else {
                fields[String(name)] = String(halves[1].dropLast(1))
            }
        }
        return (fields, files)
    }
}

extension ServerResponse {
    /// A scripted reply as a server gives it. A failure is a connection that is closed.
    init(_ reply: ScriptedHTTPClient.Reply) {
        switch reply {
        case .answer(let status, _, let body): self = .json(body, status: status)
        case .stream(let status, _, let chunks, _):
            // One byte more is announced than comes.
            let length = UInt64(chunks.reduce(0) { $0 + $1.count }) + 1
            self.init(
                status: status,
                body: .stream(length: length) { writer in
                    for chunk in chunks { try await writer.write(chunk) }
                    throw CancellationError()
                })
        case .failure, .held: self = .drop
        }
    }
}
