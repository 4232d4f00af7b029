import Aquifer
import Foundation
import ReferenceAPIs
import ShadowDrive
import Testing

/// The reference drive, as the library ShadowDrive sees it, and as anyone else does.
struct DriveWorld {
    static let owner = keypair(7)
    static let stranger = keypair(8)

    private static func keypair(_ byte: UInt8) -> Keypair {
        do { return try Keypair(seed: Data(repeating: byte, count: 32)) } catch { preconditionFailure("\(error)") }
    }

    let apis: ReferenceAPIs
    let client: any HTTPClient
    let base: URL
    let folder: URL
    let service: ShadowDriveService

    var api: ShadowDriveAPI { service.api }
    var rpc: SolanaRPC { service.rpc }
    var program: ShadowDriveProgram { service.program }
    var owner: Keypair { Self.owner }

    /// Runs a test over one of the ways, with a folder for files and state that is gone afterwards.
    static func run(_ way: Way, in folder: URL? = nil, _ test: (DriveWorld) async throws -> Void) async throws {
        let own = FileManager.default.temporaryDirectory.appending(path: "drive-remote-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: own) }
        let folder = folder ?? own
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let apis = try ReferenceAPIs(
            directory: folder.appending(path: "state"), now: { Date(timeIntervalSince1970: 1_795_000_000) })
        try await way.run(apis) { client, root in
            let base = root.appending(path: "drive")
            let service = ShadowDriveService(
                api: ShadowDriveAPI(base: base, files: base.appending(path: "files"), client: client),
                rpc: SolanaRPC(url: base.appending(path: "rpc"), client: client),
                program: .v1(uploader: ReferenceAPIs.driveUploader), keypair: Self.owner, store: MemoryStore())
            try await test(DriveWorld(apis: apis, client: client, base: base, folder: folder, service: service))
        }
    }

    /// A new account of so many bytes.
    func account(_ name: String = "mine", size: UInt64 = 1 << 20) async throws -> PublicKey {
        try await service.createStorageAccount(name: name, size: size).account.address
    }

    func file(_ name: String, _ content: String) throws -> URL {
        let url = folder.appending(path: name)
        try Data(content.utf8).write(to: url)
        return url
    }

    func upload(_ name: String, _ content: String, to account: PublicKey, overwrite: Bool = false) async throws
        -> UploadResult
    {
        let results = try await service.upload([file(name, content)], to: account, overwrite: overwrite)
        return try #require(results.first)
    }

    func content(_ location: FileLocation) async throws -> String {
        let response = try await client.send(HTTPRequest(.get, try #require(location.url)))
        #expect(response.head.status == 200)
        return String(decoding: try await response.data(upTo: 1 << 24), as: UTF8.self)
    }

    struct Answer {
        let status: Int
        let json: [String: Any]
        var error: String? { json["error"] as? String }
    }

    func post(_ path: String, _ fields: [String: Any]) async throws -> Answer {
        try await send(path, JSONSerialization.data(withJSONObject: fields), "application/json")
    }

    func send(_ path: String, _ body: Data, _ type: String) async throws -> Answer {
        let response = try await client.send(
            HTTPRequest(.post, base.appending(path: path), headers: ["Content-Type": type], body: .bytes(body)))
        let data = try await response.data(upTo: 1 << 24)
        return Answer(
            status: response.head.status,
            json: try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:])
    }

    /// A form as other clients write it: fields, and files by name.
    func form(_ path: String, _ fields: [String: String], _ files: [(String, Data)]) async throws -> Answer {
        var body = Data()
        for (name, data) in files {
            body += Data(
                "--frontier\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n".utf8)
            body += data + Data("\r\n".utf8)
        }
        for (name, text) in fields {
            body += Data("--frontier\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n".utf8)
        }
        body += Data("--frontier--\r\n".utf8)
        return try await send(path, body, "multipart/form-data; boundary=frontier")
    }

    /// The refusal that a call throws; `nil` if it throws none.
    func refusal(_ work: () async throws -> Void) async -> DriveRefusal? {
        do { try await work() } catch DriveError.refused(let refusal) { return refusal } catch {
            Issue.record("\(error)")
        }
        return nil
    }
}
