import Aquifer
import AquiferConcurrency
import AquiferCurl
import Foundation
import HTTPServer
import ReferenceAPIs

/// The two ways to a server: in process, and over a socket. The same tests run over both.
enum Way: String, CaseIterable, CustomStringConvertible, Sendable {
    case inProcess = "in process"
    case socket = "over a socket"

    var description: String { rawValue }

    /// Runs a test with a client and the base URL of the remotes.
    func run(
        _ apis: ReferenceAPIs, _ test: (any HTTPClient, URL) async throws -> Void
    ) async throws {
        switch self {
        case .inProcess:
            try await test(InProcessClient(handler: apis.handler), URL(string: "http://reference.example")!)
        case .socket:
            let server = try HTTPServer(ReferenceAPIs.configuration, handler: apis.handler)
            do {
                try await test(CurlHTTPClient(), URL(string: "http://127.0.0.1:\(server.port)")!)
            } catch {
                await server.stop(grace: .zero)
                throw error
            }
            await server.stop(grace: .zero)
        }
    }
}

/// Calls a server's handler without a socket.
struct InProcessClient: HTTPClient {
    let handler: ServerHandler

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var headers = HTTPHeaders(request.headers.fields.map { .init($0.name, $0.value) })
        headers["Host"] = request.url.host()
        var target = request.url.path(percentEncoded: true)
        if let query = request.url.query(percentEncoded: true) { target += "?\(query)" }
        let body = try whole(request.body)
        let response = await handler(ServerRequest(request.method, target, headers: headers, body: body))
        if response.isDropped { throw TransportError(.interrupted, "dropped") }
        let head = HTTPResponseHead(
            status: response.status, headers: HTTPHeaders(response.headers.fields.map { .init($0.name, $0.value) }),
            url: request.url)
        do {
            return HTTPResponse(head: head, source: WholeBody(try await response.collectBody()))
        } catch {
            return HTTPResponse(head: head, source: WholeBody(nil))
        }
    }

    private func whole(_ body: HTTPBody?) throws(TransportError) -> Data {
        var data = Data()
        for part in body?.parts ?? [] {
            switch part {
            case .bytes(let bytes): data += bytes
            case .file(let url, let offset, let length):
                guard let file = try? Data(contentsOf: url) else { throw TransportError(.interrupted, "no file") }
                data += file.dropFirst(Int(offset)).prefix(Int(length))
            }
        }
        return data
    }

    private final class WholeBody: HTTPBodySource {
        private let rest: Locked<Result<Data?, TransportError>>

        /// A body, or one that was cut.
        init(_ data: Data?) {
            rest = Locked(data.map { .success($0.isEmpty ? nil : $0) } ?? .failure(TransportError(.interrupted)))
        }

        func next() async throws(TransportError) -> Data? {
            let result = rest.withLock { rest in
                defer { if case .success = rest { rest = .success(nil) } }
                return rest
            }
            return try result.get()
        }

        func cancel() {}
    }
}
