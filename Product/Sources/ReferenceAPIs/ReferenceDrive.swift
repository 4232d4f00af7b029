import AquiferSolana
import Foundation
import HTTPServer

/// Shadow Drive's contract (`docs/reference/shadow-drive.md`): its eleven endpoints, the host of the files, and the part of
/// a Solana node that its clients use.
///
/// Every transaction is decoded and verified, and every signed message is checked byte for byte. The server signs with
/// a key of its own, ``ReferenceAPIs/driveUploader``.
struct ReferenceDrive: Sendable {
    /// The keypair that the server signs with. It is not secret: anyone with the source can derive it.
    static let uploader: Keypair = {
        // The seed has 32 bytes, so this cannot fail, and nobody would read the error.
        guard let keypair = try? Keypair(seed: Data("Aquifer's reference remote signs".utf8)) else {
            preconditionFailure("the uploader's seed is none")
        }
        return keypair
    }()

    /// The maximum size of an upload or an edit in bytes: five files, and the parts around them.
    static let largestUpload = Int(ShadowDriveLimits.fileBytes) * ShadowDriveLimits.filesPerUpload + 1 << 20
    /// The maximum length of a file's name in bytes of UTF-8.
    static let longestName = 1024
    /// The maximum size of a JSON request, or of a field of a form, in bytes.
    static let largestField = 64 << 10

    let store: DriveStore
    let program = ShadowDriveProgram.v1(uploader: Self.uploader.publicKey)
    let now: @Sendable () -> Date

    init(store: DriveStore, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.now = now
    }

    var moment: DriveMoment { DriveMoment(now()) }

    var handler: ServerHandler {
        var router = Router()
        func post(_ name: String, _ answer: @escaping @Sendable (ServerRequest) async throws -> ServerResponse) {
            router.on("POST", "/drive/\(name)") { request, _ in await answering(request, answer) }
        }
        post("storage-account") { try await createAccount($0) }
        post("storage-account-info") { try await accountInfo($0) }
        post("upload") { try await upload($0) }
        post("edit") { try await edit($0) }
        post("list-objects") { try await listObjects($0) }
        post("list-objects-and-sizes") { try await listSizes($0) }
        post("get-object-data") { try await objectData($0) }
        post("delete-file") { try await deleteFile($0) }
        post("add-storage") { try await change($0, by: [.increase, .increaseImmutable], "Storage added") }
        post("reduce-storage") { try await change($0, by: [.decrease], "Storage reduced") }
        post("make-immutable") { try await change($0, by: [.makeImmutable], "Storage account made immutable") }
        post("rpc") { try await rpc($0) }
        router.on("GET", "/drive/storage-account-size") { request, _ in
            await answering(request) { try await accountSize($0) }
        }
        router.on("GET", "/drive/files/:account/*name") { request, parameters in
            await answering(request) { try await file($0, parameters["account"] ?? "", parameters["name"] ?? "") }
        }
        return router.handle
    }

    private func answering(
        _ request: ServerRequest, _ answer: (ServerRequest) async throws -> ServerResponse
    ) async -> ServerResponse {
        let refusal: ReferenceRefusal
        do {
            return try await FileThreads.run { try await answer(request) }
        } catch let error as ReferenceRefusal {
            refusal = error
        } catch let error as TransactionError {
            refusal = ReferenceRefusal(400, "\(error)")
        } catch let error as MultipartError {
            refusal = ReferenceRefusal(error.status, error.description)
        } catch let error as ServerBodyError {
            refusal = ReferenceRefusal(400, "\(error)")
        } catch {
            refusal = ReferenceRefusal(500, "the state cannot be read or written: \(error)")
        }
        await request.body.drain()
        return .error(refusal.status, refusal.message)
    }

    // MARK: Questions

    private func accountInfo(_ request: ServerRequest) async throws -> ServerResponse {
        let account = try await account(try await Self.fields(request).key("storage_account"))
        let epoch = DriveMoment(seconds: account.created).epoch
        return try Self.json([
            "storage_account": "\(account.address)", "reserved_bytes": account.reserved,
            "current_usage": account.usage, "immutable": account.isImmutable,
            "to_be_deleted": account.deletion != nil, "delete_request_epoch": account.deletion ?? 0,
            "owner1": "\(account.owner)", "account_counter_seed": account.counter,
            "creation_time": account.created, "creation_epoch": epoch, "last_fee_epoch": epoch,
            "identifier": account.name, "version": "V2",
        ])
    }

    private func accountSize(_ request: ServerRequest) async throws -> ServerResponse {
        guard let text = request.queryValue("storageAccount"), let key = Self.key(text) else {
            throw ReferenceRefusal(400, "storageAccount must be an address")
        }
        return try Self.json(["storage_used": try await account(key).usage])
    }

    private func listObjects(_ request: ServerRequest) async throws -> ServerResponse {
        let account = try await account(try await Self.fields(request).key("storageAccount"))
        // So does the real one.
        guard !account.files.isEmpty else { throw ReferenceRefusal(500, "Internal server error") }
        return try Self.json(["keys": account.files.map(\.name)])
    }

    private func listSizes(_ request: ServerRequest) async throws -> ServerResponse {
        let account = try await account(try await Self.fields(request).key("storageAccount"))
        return try Self.json([
            "files": account.files.map { ["file_name": $0.name, "size": $0.size] as [String: Any] }
        ])
    }

    private func objectData(_ request: ServerRequest) async throws -> ServerResponse {
        let location = FileLocation(try await Self.fields(request).text("location"))
        guard let location, let account = try await store.account(location.account),
            account.file(location.name) != nil
        else { return try Self.json([:]) }
        return try Self.json([
            "file_data": [
                "owner-account-pubkey": "\(account.owner)", "storage-account-pubkey": "\(account.address)",
            ]
        ])
    }

    /// The host of the files.
    private func file(_ request: ServerRequest, _ account: String, _ name: String) async throws -> ServerResponse {
        guard let key = Self.key(account), let name = name.removingPercentEncoding,
            let file = try await store.account(key)?.file(name)
        else { return .error(404, "there is no such file") }
        let path = store.bytes(of: file, in: key).path
        return .resource(
            length: file.size, contentType: StaticFiles.contentType(of: name), etag: file.stored,
            // Its remote shares the address with others: a page that somebody stored must not act in their name.
            headers: ["X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"], for: request
        ) { .file(path: path, offset: $0.lowerBound, length: $0.upperBound - $0.lowerBound) }
    }

    func account(_ address: PublicKey) async throws -> DriveAccount {
        guard let account = try await store.account(address) else { throw DriveStore.noAccount(address) }
        return account
    }

    // MARK: JSON

    static func key(_ text: String) -> PublicKey? {
        try? PublicKey(text)  // that it is none is all there is to say
    }

    static func json(_ object: [String: Any]) throws -> ServerResponse {
        .json(try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]))
    }

    /// The fields of a request in JSON.
    struct Fields {
        let values: [String: Any]

        func text(_ name: String) throws(ReferenceRefusal) -> String {
            guard let text = values[name] as? String, !text.isEmpty else {
                throw ReferenceRefusal(400, "\(name) is missing")
            }
            return text
        }

        func key(_ name: String) throws(ReferenceRefusal) -> PublicKey {
            guard let key = ReferenceDrive.key(try text(name)) else {
                throw ReferenceRefusal(400, "\(name) must be an address")
            }
            return key
        }
    }

    static func fields(_ request: ServerRequest) async throws -> Fields {
        let body = try await request.body.collect(upTo: largestField)
        // The answer to every invalid body is the same.
        guard let values = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else {
            throw ReferenceRefusal(400, "the body must be a JSON object")
        }
        return Fields(values: values)
    }
}
