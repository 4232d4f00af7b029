import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

/// Shadow Drive with server, chain, store and clock under a test's control. Server and chain have default answers: a
/// chain without the owner, a blockhash, success.
final class DriveWorld: Sendable {
    typealias Reply = ScriptedHTTPClient.Reply

    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())
    let clock = ManualClock()
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let folder: URL
    let service: ShadowDriveService
    let owner = Vectors.owner
    let account = Vectors.account

    static let base = URL(string: "http://drive.example")!
    static let files = URL(string: "http://files.example")!
    static let node = URL(string: "http://node.example/")!
    static let signature = must {
        try Signature(
            Vectors.all.transactions["initialize_account2"]!.rust_order.no_compute_budget.owner_signature_base58)
    }

    init(client: ScriptedHTTPClient, keypair: Keypair? = Vectors.owner, budget: ComputeBudget = .none) {
        self.client = client
        folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-drive-\(UUID().uuidString)")
        service = ShadowDriveService(
            api: ShadowDriveAPI(base: Self.base, files: Self.files, client: client),
            rpc: SolanaRPC(url: Self.node, client: client), keypair: keypair, store: store, computeBudget: budget,
            clock: clock, now: date.read)
    }

    /// - Parameter replies: the answers to each path (or RPC method), one after another, the last one for ever.
    convenience init(
        _ replies: [String: [Reply]] = [:], keypair: Keypair? = Vectors.owner, budget: ComputeBudget = .none
    ) {
        let left = Locked(replies)
        self.init(
            client: ScriptedHTTPClient { request in
                let name = Self.name(of: request)
                let scripted: Reply? = left.withLock { left in
                    guard let all = left[name], let first = all.first else { return nil }
                    if all.count > 1 { left[name] = Array(all.dropFirst()) }
                    return first
                }
                guard let scripted, scripted.isScripted else { return Self.usual(name, request) }
                return scripted
            }, keypair: keypair, budget: budget)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The endpoint, or the RPC method of the chain.
    static func name(of request: HTTPRequest) -> String {
        guard request.url.host() == node.host() else { return request.url.lastPathComponent }
        return request.json["method"] as? String ?? "?"
    }

    static func usual(_ name: String, _ request: HTTPRequest) -> Reply {
        switch name {
        case "getLatestBlockhash": .blockhash(Vectors.all.inputs.blockhash_base58)
        case "getAccountInfo": .json(#"{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":null}}"#)
        case "getEpochInfo": .json(#"{"jsonrpc":"2.0","id":1,"result":{"absoluteSlot":201,"blockHeight":101}}"#)
        case "getSignatureStatuses":
            .json(#"{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":240},"value":[null]}}"#)
        case "sendTransaction": .accepted(request)
        case "upload": .stored(request)
        case "list-objects": .json(#"{"error":"Internal server error"}"#, status: 500)
        case "storage-account":
            .json(#"{"shdw_bucket":"\#(Vectors.account)","transaction_signature":"\#(signature(of: request))"}"#)
        case "storage-account-size": .json(#"{"storage_used":12345}"#)
        case "list-objects-and-sizes": .json(#"{"files":[]}"#)
        case "storage-account-info": .info(request.json["storage_account"] as? String ?? "?")
        case "add-storage", "reduce-storage", "make-immutable":
            .json(#"{"message":"done","transaction_signature":"\#(signature(of: request))"}"#)
        default: .answer(status: 404)
        }
    }

    /// The signature by which Solana knows the transaction of a request.
    static func signature(of request: HTTPRequest) -> Signature {
        let sent = (request.json["transaction"] as? String).flatMap { try? SolanaTransaction(base64: $0) }
        return sent?.signature ?? signature
    }

    /// The signature by which Solana knows the creation of an account.
    static func signature(
        creating name: String, account: PublicKey = Vectors.account
    ) -> Signature {
        must {
            var made = try Vectors.program.transaction(
                .create(name: name, bytes: 1024), owner: Vectors.owner.publicKey, account: account,
                blockhash: Vectors.blockhash)
            try made.sign(with: Vectors.owner)
            return made.signature!
        }
    }

    /// The requests to an endpoint, or of a method.
    func requests(_ name: String) -> [HTTPRequest] { client.requests.filter { Self.name(of: $0) == name } }

    /// A file of these bytes, or of zeros that take no room on the disk.
    func file(_ name: String, _ bytes: Data = Data("content".utf8), size: UInt64? = nil) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: name)
        try bytes.write(to: url)
        if let size {
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: size)
            try handle.close()
        }
        return url
    }

    func location(_ name: String) -> FileLocation { must { try service.api.location(of: name, in: account) } }
}

extension HTTPRequest {
    /// The body of a request without files.
    var json: [String: Any] {
        guard case .bytes(let data)? = body?.parts.first else { return [:] }
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    /// The body as it goes over the wire.
    var wire: String {
        let data = (body?.parts ?? []).reduce(into: Data()) { all, part in
            switch part {
            case .bytes(let data): all += data
            case .file(let url, let offset, let length):
                let content = (try? Data(contentsOf: url)) ?? Data()
                all += content.dropFirst(Int(offset)).prefix(Int(length))
            }
        }
        return String(decoding: data, as: UTF8.self)
    }
}

extension ScriptedHTTPClient.Reply {
    static func json(_ text: String, status: Int = 200) -> Self { .answer(status: status, body: Data(text.utf8)) }

    static func blockhash(_ text: String) -> Self {
        .json(
            #"{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":{"blockhash":"\#(text)","lastValidBlockHeight":100}}}"#
        )
    }

    static func chain(_ layout: some AccountLayout, owner: PublicKey = ShadowDriveProgram.v1.id) -> Self {
        .json(
            #"{"jsonrpc":"2.0","id":1,"result":{"value":{"data":["\#(layout.data.base64EncodedString())","base64"],"executable":false,"lamports":1,"owner":"\#(owner)","rentEpoch":0}}}"#
        )
    }

    static func info(
        _ account: String, name: String = "my-bucket", reserved: Int = 10_485_760, used: Int = 0,
        immutable: Bool = false, seed: Int = 0
    ) -> Self {
        .json(
            """
            {"storage_account":"\(account)","reserved_bytes":\(reserved),"current_usage":\(used),"immutable":\(immutable),\
            "to_be_deleted":false,"delete_request_epoch":0,"owner1":"\(Vectors.owner.publicKey)",\
            "account_counter_seed":\(seed),"creation_time":1665690481,"creation_epoch":359,"last_fee_epoch":359,\
            "identifier":"\(name)","version":"V2"}
            """)
    }

    /// A node accepts a transaction.
    static func accepted(_ request: HTTPRequest) -> Self {
        let text = (request.json["params"] as? [Any])?.first as? String ?? ""
        // A text that is no transaction has no signature, and the answer is none.
        let signature = (try? SolanaTransaction(base64: text))?.signature
        return .json(#"{"jsonrpc":"2.0","id":1,"result":"\#(signature.map { "\($0)" } ?? "")"}"#)
    }

    /// The chain has carried out a transaction.
    static let confirmed = Self.json(
        #"{"result":{"context":{"slot":240},"value":[{"err":null,"confirmationStatus":"confirmed"}]}}"#)

    /// All files of an upload are stored.
    static func stored(_ request: HTTPRequest) -> Self {
        let fields = (request.body?.parts ?? []).reduce(into: "") { text, part in
            if case .bytes(let data) = part { text += String(decoding: data, as: UTF8.self) }
        }
        func field(_ name: String) -> String {
            let start = fields.components(separatedBy: "name=\"\(name)\"\r\n\r\n").dropFirst().first
            return start?.components(separatedBy: "\r\n--").first ?? ""
        }
        let places = field("fileNames").split(separator: ",").map {
            "\"\(DriveWorld.files)/\(field("storage_account"))/\(FileLocation.encode(String($0)))\""
        }
        return .json(#"{"finalized_locations":[\#(places.joined(separator: ","))],"message":"m"}"#)
    }

    static func error(_ words: String, status: Int = 400) -> Self { .json(#"{"error":"\#(words)"}"#, status: status) }

    /// The answer, unless a test gives another.
    static let usually = Self.answer(status: 0)

    fileprivate var isScripted: Bool { if case .answer(status: 0, _, _) = self { false } else { true } }

    static let offline = Self.failure(TransportError(.cannotConnect))
}
