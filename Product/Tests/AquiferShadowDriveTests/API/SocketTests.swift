import Aquifer
import AquiferConcurrency
import AquiferCurl
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import AquiferShadowDrive

@Suite("Over a socket", .timeLimit(.minutes(10)))
struct SocketTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-drive-\(UUID().uuidString)")

    private func service(_ server: HTTPServer) throws -> ShadowDriveService {
        let base = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let client = CurlHTTPClient()
        return ShadowDriveService(
            api: ShadowDriveAPI(base: base, files: base.appending(path: "files"), client: client),
            rpc: SolanaRPC(url: base.appending(path: "rpc"), client: client), keypair: Vectors.owner,
            store: MemoryStore())
    }

    private func file(_ name: String, size: Int) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: name)
        try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: url)
        return url
    }

    @Test("a form arrives as it was announced, byte for byte, and progress only grows")
    func upload() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let received = Locked<(path: String, length: String, body: Data)>(("", "", Data()))
        let server = try HTTPServer { request in
            let body = (try? await request.body.collect(upTo: 8 << 20)) ?? Data()
            guard request.rawPath == "/upload" else { return .json(Data(#"{"keys":[]}"#.utf8)) }
            received.withLock { $0 = (request.rawPath, request.headers["Content-Length"] ?? "none", body) }
            let place = "http://x.example/\(Vectors.account)/\(FileLocation.encode("naïve #1?.bin"))"
            return .json(Data(#"{"message":"stored","finalized_locations":["\#(place)"]}"#.utf8))
        }
        let source = try file("naïve #1?.bin", size: 3 << 20)
        let progress = Locked<[UploadProgress]>([])
        let results = try await service(server).upload([source], to: Vectors.account) { event in
            if case .progress(let now) = event { progress.withLock { $0.append(now) } }
        }
        #expect(results.first?.location?.name == "naïve #1?.bin")
        let (path, length, body) = received.withLock { $0 }
        #expect(path == "/upload" && length == "\(body.count)")
        #expect(body.range(of: try Data(contentsOf: source)) != nil)
        #expect(body.range(of: Data("filename=\"naïve #1?.bin\"".utf8)) != nil)
        let numbers = progress.withLock { $0.map(\.sent) }
        #expect(numbers == numbers.sorted() && numbers.last == 3 << 20 && numbers.count > 2)
        await server.stop()
    }

    @Test("cancelling an upload is seen by the server")
    func cancel() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = AsyncStream.makeStream(of: String.self)
        let server = try HTTPServer(HTTPServer.Configuration(maxBodyBytes: 2 << 30)) { request in
            // Before an upload, the names that are taken are asked for.
            guard request.rawPath == "/upload" else { return .empty() }
            do throws(ServerBodyError) {
                var body = request.body.makeAsyncIterator()
                _ = try await body.next(isolation: nil)
                outcome.continuation.yield("began")
                // The client is held back until it has gone: only then is there anything to tell.
                while try await body.next(isolation: nil) != nil {}
                outcome.continuation.yield("whole")
            } catch { outcome.continuation.yield("\(error)") }
            return .empty()
        }
        let large = try file("large.bin", size: 1024)
        let handle = try FileHandle(forWritingTo: large)
        try handle.truncate(atOffset: 1 << 30)
        try handle.close()
        let service = try service(server)
        let uploading = Task { try await service.upload([large], to: Vectors.account) }
        var seen = outcome.stream.makeAsyncIterator()
        #expect(await seen.next() == "began")
        uploading.cancel()
        #expect(try await uploading.value.first?.error == .outcomeUnknown(because: .cancelled))
        #expect(await seen.next() != "whole")
        await server.stop()
    }

    @Test("a file with # in its name is loaded by its own address")
    func download() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try HTTPServer { request in .text(request.rawPath) }
        let service = try service(server)
        let target = try file("target", size: 1)
        try await service.api.download(service.api.location(of: "a #1?/ü.txt", in: Vectors.account), to: target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "/files/\(Vectors.account)/a%20%231%3F%2F%C3%BC.txt")
        await server.stop()
    }

    @Test("an endpoint and its refusal")
    func endpoint() async throws {
        let server = try HTTPServer { request in
            let body = (try? await request.body.collect(upTo: 1 << 16)) ?? Data()
            guard request.headers["Content-Type"] == "application/json", request.method == "POST",
                String(decoding: body, as: UTF8.self) == #"{"storageAccount":"\#(Vectors.account)"}"#
            else { return .json(Data(#"{"error":"another body"}"#.utf8), status: 400) }
            return request.path == "/list-objects" ? .empty(500) : .json(Data(#"{"files":[]}"#.utf8))
        }
        let service = try service(server)
        #expect(try await service.api.listFiles(in: Vectors.account).isEmpty)
        let error = await failure { () async throws(DriveError) in
            try await service.api.listObjects(in: Vectors.account)
        }
        #expect(error == .refused(DriveRefusal(status: 500, words: "", reason: .emptyAccount)))
        await server.stop()
    }
}
