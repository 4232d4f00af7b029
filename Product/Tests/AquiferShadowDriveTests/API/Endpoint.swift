import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

/// One endpoint: its call, the request that it sends, a good answer, and bad answers.
struct Endpoint: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: Kind
    /// The fields that go out: of the JSON, of the query, or of a form those that are no file.
    let fields: [String: String]
    let good: String
    let bad: [String]
    let call: @Sendable (ShadowDriveAPI) async throws(DriveError) -> Void

    enum Kind {
        case json
        case form
        case query
    }

    var testDescription: String { name }

    /// True if it changes something; else it asks.
    var isChange: Bool {
        ![
            "storage-account-info", "list-objects", "list-objects-and-sizes", "get-object-data",
            "storage-account-size",
        ].contains(name)
    }

    /// The error that reports a failure when the request may have reached the server.
    func told(_ error: DriveError) -> DriveError { isChange ? .outcomeUnknown(because: error) : error }
}

extension Endpoint {
    private static let account = Vectors.account
    private static let owner = Vectors.owner.publicKey
    private static let signature = DriveWorld.signature
    private static let transaction = must {
        try SolanaTransaction(
            base64: Vectors.all.transactions["claim_stake2"]!.rust_order.no_compute_budget.transaction_base64)
    }
    private static let location = FileLocation("a#b.txt", in: account, base: DriveWorld.files)!

    /// The eleven of the contract, and the account's size.
    static let all: [Endpoint] =
        [create, info, names, files, objectData, deletion, upload, edit, size] + [
            change("add-storage") { (api) async throws(DriveError) in try await api.addStorage(transaction) },
            change("reduce-storage") { (api) async throws(DriveError) in try await api.reduceStorage(transaction) },
            change("make-immutable") { (api) async throws(DriveError) in try await api.makeImmutable(transaction) },
        ]

    private static let create = Endpoint(
        name: "storage-account", kind: .json, fields: ["transaction": transaction.base64],
        good: #"{"shdw_bucket":"\#(account)","transaction_signature":"\#(signature)"}"#,
        bad: [#"{"shdw_bucket":"\#(account)"}"#],
        call: { (api) async throws(DriveError) in _ = try await api.createStorageAccount(transaction) })

    private static let info = Endpoint(
        name: "storage-account-info", kind: .json, fields: ["storage_account": "\(account)"],
        good: body(of: .info("\(account)")),
        bad: [
            "{}", body(of: .info("\(owner)")), body(of: .info("\(account)", reserved: -1)),
            body(of: .info("\(account)")).replacingOccurrences(of: "V2", with: "V3"),
        ],
        call: { (api) async throws(DriveError) in _ = try await api.storageAccountInfo(account) })

    private static let names = Endpoint(
        name: "list-objects", kind: .json, fields: ["storageAccount": "\(account)"], good: #"{"keys":["index.html"]}"#,
        bad: ["{}", #"{"keys":[1]}"#],
        call: { (api) async throws(DriveError) in
            try expect(await api.listObjects(in: account) == ["index.html"])
        })

    private static let files = Endpoint(
        name: "list-objects-and-sizes", kind: .json, fields: ["storageAccount": "\(account)"],
        good: #"{"files":[{"file_name":"a b","size":7,"last_modified":"x"}]}"#,
        bad: [
            "{}", #"{"files":[{"file_name":"a"}]}"#, #"{"files":[{"file_name":"a","size":-1}]}"#,
            #"{"files":[{"file_name":"a","size":1},{"file_name":"a","size":2}]}"#,
        ],
        call: { (api) async throws(DriveError) in
            try expect(await api.listFiles(in: account) == [StoredFile(name: "a b", size: 7)])
        })

    private static let objectData = Endpoint(
        name: "get-object-data", kind: .json, fields: ["location": location.text],
        good: #"{"file_data":{"owner-account-pubkey":"\#(owner)","storage-account-pubkey":"\#(account)"}}"#,
        bad: [#"{"file_data":{}}"#, #"{"file_data":{"owner-account-pubkey":"x","storage-account-pubkey":"y"}}"#],
        call: { (api) async throws(DriveError) in _ = try await api.objectData(at: location.text) })

    private static let deletion = Endpoint(
        name: "delete-file", kind: .json,
        fields: ["location": location.text, "message": "\(signature)", "signer": "\(owner)"],
        good: #"{"message":"deleted"}"#, bad: ["{}"],
        call: { (api) async throws(DriveError) in
            _ = try await api.deleteFile(at: location.text, signer: owner, signature: signature)
        })

    private static let upload = Endpoint(
        name: "upload", kind: .form,
        fields: [
            "message": "\(signature)", "signer": "\(owner)", "storage_account": "\(account)", "fileNames": "a#b.txt",
        ],
        good: #"{"finalized_locations":["\#(location)"],"message":"stored","upload_errors":[]}"#,
        bad: [#"{"finalized_locations":7}"#, #"{"finalized_locations":["x"],"upload_errors":[{"file":1}]}"#],
        call: { (api) async throws(DriveError) in
            let answer = try await withFile { (file) async throws(DriveError) in
                try await api.upload([file], to: account, signer: owner, signature: signature)
            }
            try expect(answer.locations == [location.text] && answer.failures.isEmpty)
        })

    private static let edit = Endpoint(
        name: "edit", kind: .form,
        fields: [
            "message": "\(signature)", "signer": "\(owner)", "storage_account": "\(account)", "url": location.text,
        ],
        good: #"{"finalized_location":"\#(location)"}"#,
        bad: [
            "{}", #"{"finalized_location":7}"#, #"{"finalized_location":""}"#, #"{"finalized_location":"x"}"#,
            #"{"finalized_location":"\#(DriveWorld.files)/\#(account)/other.txt"}"#,
            #"{"finalized_location":"\#(DriveWorld.files)/\#(owner)/a%23b.txt"}"#,
        ],
        call: { (api) async throws(DriveError) in
            let place = try await withFile { (file) async throws(DriveError) in
                try await api.edit(file, at: location, signer: owner, signature: signature)
            }
            try expect(place == location.text)
        })

    private static let size = Endpoint(
        name: "storage-account-size", kind: .query, fields: ["storageAccount": "\(account)"],
        good: #"{"storage_used":12345}"#, bad: ["{}", #"{"storage_used":-1}"#, #"{"storage_used":"12345"}"#],
        call: { (api) async throws(DriveError) in try expect(await api.storageUsed(account) == 12345) })

    private static func change(
        _ name: String, _ call: @escaping @Sendable (ShadowDriveAPI) async throws(DriveError) -> ChangeAnswer
    ) -> Endpoint {
        Endpoint(
            name: name, kind: .json, fields: ["transaction": transaction.base64], good: #"{"message":"done"}"#,
            bad: ["{}", #"{"message":1}"#, #"{"message":"m","transaction_signature":"x"}"#],
            call: { (api) async throws(DriveError) in try expect(await call(api).message == "done") })
    }

    /// Throws an error that no test expects, if a good answer was misread.
    private static func expect(_ isSo: Bool) throws(DriveError) {
        if !isSo { throw .noSuchFile("what was answered is not what was understood") }
    }

    private static func withFile<Value>(
        _ work: (FileToSend) async throws(DriveError) -> Value
    ) async throws(DriveError) -> Value {
        let url = FileManager.default.temporaryDirectory.appending(path: "aquifer-endpoint-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let file: FileToSend
        do {
            try Data("content".utf8).write(to: url)
            file = try FileToSend(url, name: "a#b.txt")
        } catch { throw .file(.unreadable(name: "a#b.txt", reason: "\(error)")) }
        return try await work(file)
    }

    private static func body(of reply: ScriptedHTTPClient.Reply) -> String {
        guard case .answer(_, _, let body) = reply else { return "" }
        return String(decoding: body, as: UTF8.self)
    }
}
