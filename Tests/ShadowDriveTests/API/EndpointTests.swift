import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import ShadowDrive

@Suite("Endpoints", .timeLimit(.minutes(1)))
struct EndpointTests {
    /// One endpoint: what is called, what is sent, a good answer, and answers that are none.
    struct Endpoint: CustomTestStringConvertible, Sendable {
        let name: String
        let fields: [String: String]
        let good: String
        let bad: [String]
        let call: @Sendable (ShadowDriveAPI) async throws(DriveError) -> Void
        var testDescription: String { name }
        /// Whether it changes something; else it asks.
        var isChange: Bool {
            !["storage-account-info", "list-objects", "list-objects-and-sizes", "get-object-data"].contains(name)
        }
        /// What a failure is told as when the request may have reached the server.
        func told(_ error: DriveError) -> DriveError { isChange ? .outcomeUnknown(because: error) : error }
    }

    private static let transaction = must {
        try Transaction(
            base64: Vectors.all.transactions["claim_stake2"]!.rust_order.no_compute_budget.transaction_base64)
    }
    private static let account = Vectors.account
    private static let signature = DriveWorld.signature

    private static func change(
        _ name: String, _ call: @escaping @Sendable (ShadowDriveAPI) async throws(DriveError) -> ChangeAnswer
    ) -> Endpoint {
        Endpoint(
            name: name, fields: ["transaction": transaction.base64], good: #"{"message":"done"}"#,
            bad: ["{}", #"{"message":1}"#, #"{"message":"m","transaction_signature":"x"}"#],
            call: { (api) async throws(DriveError) in
                let answer = try await call(api)
                if answer.message != "done" { throw .invalidData(.body("in the test")) }
            })
    }

    static let all: [Endpoint] = [
        Endpoint(
            name: "storage-account", fields: ["transaction": transaction.base64],
            good: #"{"shdw_bucket":"\#(account)","transaction_signature":"\#(signature)"}"#,
            bad: [#"{"shdw_bucket":"\#(account)"}"#],
            call: { (api) async throws(DriveError) in _ = try await api.createStorageAccount(transaction) }),
        Endpoint(
            name: "storage-account-info", fields: ["storage_account": "\(account)"],
            good: body(of: .info("\(account)")),
            bad: [
                "{}", body(of: .info("\(Vectors.owner.publicKey)")), body(of: .info("\(account)", reserved: -1)),
                body(of: .info("\(account)")).replacingOccurrences(of: "V2", with: "V3"),
            ],
            call: { (api) async throws(DriveError) in _ = try await api.storageAccountInfo(account) }),
        Endpoint(
            name: "list-objects", fields: ["storageAccount": "\(account)"], good: #"{"keys":["index.html"]}"#,
            bad: ["{}", #"{"keys":[1]}"#],
            call: { (api) async throws(DriveError) in
                if try await api.listObjects(in: account) != ["index.html"] { throw .invalidData(.body("in the test")) }
            }),
        Endpoint(
            name: "list-objects-and-sizes", fields: ["storageAccount": "\(account)"],
            good: #"{"files":[{"file_name":"a b","size":7,"last_modified":"x"}]}"#,
            bad: [
                "{}", #"{"files":[{"file_name":"a"}]}"#, #"{"files":[{"file_name":"a","size":-1}]}"#,
                #"{"files":[{"file_name":"a","size":1},{"file_name":"a","size":2}]}"#,
            ],
            call: { (api) async throws(DriveError) in
                if try await api.listFiles(in: account) != [StoredFile(name: "a b", size: 7)] {
                    throw .invalidData(.body("in the test"))
                }
            }),
        Endpoint(
            name: "get-object-data", fields: ["location": "http://files.example/x/a%23b"],
            good:
                #"{"file_data":{"owner-account-pubkey":"\#(Vectors.owner.publicKey)","storage-account-pubkey":"\#(account)"}}"#,
            bad: [#"{"file_data":{}}"#, #"{"file_data":{"owner-account-pubkey":"x","storage-account-pubkey":"y"}}"#],
            call: { (api) async throws(DriveError) in
                _ = try await api.objectData(at: "http://files.example/x/a%23b")
            }),
        Endpoint(
            name: "delete-file",
            fields: ["location": "http://files.example/x/a", "message": "\(signature)", "signer": "\(account)"],
            good: #"{"message":"deleted"}"#, bad: ["{}"],
            call: { (api) async throws(DriveError) in
                _ = try await api.deleteFile(at: "http://files.example/x/a", signer: account, signature: signature)
            }),
        change("add-storage") { (api) async throws(DriveError) in try await api.addStorage(transaction) },
        change("reduce-storage") { (api) async throws(DriveError) in try await api.reduceStorage(transaction) },
        change("make-immutable") { (api) async throws(DriveError) in try await api.makeImmutable(transaction) },
    ]

    private static func body(of reply: ScriptedHTTPClient.Reply) -> String {
        guard case .answer(_, _, let body) = reply else { return "" }
        return String(decoding: body, as: UTF8.self)
    }

    private func error(of endpoint: Endpoint, _ reply: ScriptedHTTPClient.Reply) async -> DriveError? {
        let world = DriveWorld([endpoint.name: [reply]])
        return await failure { () async throws(DriveError) in try await endpoint.call(world.service.api) }
    }

    @Test("sends what the contract says, and takes any 2xx", arguments: all)
    func sends(endpoint: Endpoint) async throws {
        for status in [200, 201, 202, 299] {
            let world = DriveWorld([endpoint.name: [.json(endpoint.good, status: status)]])
            try await endpoint.call(world.service.api)
            let request = try #require(world.client.requests.first)
            #expect(request.method == .post && request.url.absoluteString == "http://drive.example/\(endpoint.name)")
            #expect(request.json as? [String: String] == endpoint.fields)
            #expect(request.headers["Content-Type"] == "application/json")
            #expect(request.headers["Authorization"] == nil)
        }
    }

    @Test("an answer that is not the contract's is invalid data", arguments: all)
    func invalid(endpoint: Endpoint) async {
        for body in endpoint.bad + ["", "no JSON", "<html></html>", "[]", "null", "7"] {
            let told = await error(of: endpoint, .json(body))
            guard case .invalidData? = told?.cause else {
                Issue.record("\(body) was taken")
                continue
            }
            #expect(told?.isOutcomeUnknown == endpoint.isChange)
        }
    }

    @Test("a refusal is told in the server's words, bounded, on one line", arguments: all)
    func refused(endpoint: Endpoint) async {
        for status in [400, 401, 403, 404, 409, 429, 500, 502, 503] {
            let told = await error(of: endpoint, .error("no\\n\\u001b[31m way", status: status))
            guard case .refused(let refusal)? = told else {
                Issue.record("\(status) is \(String(describing: told))")
                continue
            }
            #expect(refusal.status == status && refusal.words == "no [31m way")
            if status == 401 { #expect(refusal.reason == .badSignature) }
        }
        guard
            case .refused(let long)? = await error(
                of: endpoint, .error(String(repeating: "word ", count: 1000), status: 400))
        else {
            Issue.record("a long refusal is none")
            return
        }
        #expect(long.words.count == Refusal.wordsLimit && long.words.hasSuffix("…"))
        #expect(
            await error(of: endpoint, .json("plain words", status: 400))
                == .refused(Refusal(status: 400, words: "plain words")))
        #expect(
            await error(of: endpoint, .json("<html>a page</html>", status: 400))
                == .refused(Refusal(status: 400, words: "")))
        #expect(
            await error(of: endpoint, .json(#"{"error":"said in a 200"}"#))
                == .refused(Refusal(status: 200, words: "said in a 200")))
    }

    @Test("no answer is a connectivity error, leaving is none", arguments: all)
    func noAnswer(endpoint: Endpoint) async {
        #expect(await error(of: endpoint, .offline) == .connectivity(TransportError(.cannotConnect)))
        #expect(await error(of: endpoint, .failure(.cancelled)) == endpoint.told(.cancelled))
        let cut = ScriptedHTTPClient.Reply.stream(chunks: [Data("{".utf8)], error: TransportError(.interrupted))
        #expect(await error(of: endpoint, cut) == endpoint.told(.connectivity(TransportError(.interrupted))))
    }

    @Test("what a gateway says for a silent server leaves a change open, what the server says does not", arguments: all)
    func gateway(endpoint: Endpoint) async {
        for status in [502, 504] {
            let page = await error(of: endpoint, .json("<html>Bad gateway</html>", status: status))
            #expect(page == endpoint.told(.refused(Refusal(status: status, words: ""))))
            let words = await error(of: endpoint, .error("no way", status: status))
            #expect(words == .refused(Refusal(status: status, words: "no way")))
        }
    }

    @Test("questions are asked again when the server is out of order, changes never are", arguments: all)
    func retries(endpoint: Endpoint) async {
        let questions = ["storage-account-info", "list-objects", "list-objects-and-sizes", "get-object-data"]
        let client = ScriptedHTTPClient([.error("busy", status: 503), .json(endpoint.good)])
        let api = ShadowDriveAPI(
            base: DriveWorld.base, files: DriveWorld.files, client: client, retry: RetryPolicy(base: .zero))
        let error = await failure { () async throws(DriveError) in try await endpoint.call(api) }
        #expect((error == nil) == questions.contains(endpoint.name))
        #expect(client.requests.count == (questions.contains(endpoint.name) ? 2 : 1))
    }

    @Test("list-objects: a 500 says that the account may be empty")
    func emptyAccount() async {
        let endpoint = Self.all.first { $0.name == "list-objects" }!
        guard case .refused(let refusal)? = await error(of: endpoint, .json("", status: 500)) else {
            Issue.record("is no refusal")
            return
        }
        #expect(refusal.reason == .emptyAccount && "\(refusal)".contains("without files"))
    }

    @Test("get-object-data: an absent file is told as such", arguments: ["{}", #"{"file_data":null}"#])
    func absent(body: String) async {
        let endpoint = Self.all.first { $0.name == "get-object-data" }!
        #expect(await error(of: endpoint, .json(body)) == .noSuchFile("http://files.example/x/a%23b"))
    }

    @Test("storage-account-size: asks with the address, takes the number")
    func size() async throws {
        let world = DriveWorld()
        #expect(try await world.service.api.storageUsed(world.account) == 12345)
        let request = try #require(world.client.requests.first)
        #expect(request.method == .get)
        #expect(
            request.url.absoluteString == "http://drive.example/storage-account-size?storageAccount=\(world.account)")
        let broken = DriveWorld(["storage-account-size": [.json(#"{"storage_used":0,"error":"no such account"}"#)]])
        let error = await failure { () async throws(DriveError) in
            try await broken.service.api.storageUsed(broken.account)
        }
        #expect(error == .refused(Refusal(status: 200, words: "no such account")))
    }
}

@Suite("Solana's JSON-RPC", .timeLimit(.minutes(1)))
struct SolanaRPCTests {
    @Test("sends a transaction once, and takes its own signature only")
    func send() async throws {
        var transaction = try Vectors.program.transaction(
            .claimStake, owner: Vectors.owner.publicKey, account: Vectors.account, blockhash: Vectors.blockhash)
        try transaction.sign(with: Vectors.owner)
        let signature = try #require(transaction.signature)
        let good = DriveWorld(["sendTransaction": [.json(#"{"jsonrpc":"2.0","id":1,"result":"\#(signature)"}"#)]])
        #expect(try await good.service.rpc.send(transaction) == signature)
        let request = try #require(good.client.requests.first)
        #expect(
            request.wire
                == #"{"id":1,"jsonrpc":"2.0","method":"sendTransaction","params":["\#(transaction.base64)",{"encoding":"base64","preflightCommitment":"confirmed"}]}"#
        )
        let other = DriveWorld(["sendTransaction": [.json(#"{"result":"\#(DriveWorld.signature)"}"#)]])
        guard
            case .outcomeUnknown(because: .invalidData)? = await failure(of: { () async throws(DriveError) in
                try await other.service.rpc.send(transaction)
            })
        else {
            Issue.record("another signature was taken")
            return
        }
    }

    @Test("an error is a refusal with its code and words", arguments: [200, 400, 500])
    func errors(status: Int) async {
        let world = DriveWorld([
            "getLatestBlockhash": [
                .json(
                    #"{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Blockhash not found"}}"#, status: status
                )
            ]
        ])
        let error = await failure { () async throws(DriveError) in try await world.service.rpc.latestBlockhash() }
        #expect(error == .refused(Refusal(status: -32002, words: "Blockhash not found", reason: .staleBlockhash)))
    }

    @Test("an answer that is none is invalid data, a status without one a refusal")
    func invalid() async {
        for body in ["", "x", "{}", #"{"result":{}}"#, #"{"result":{"value":{"blockhash":"0"}}}"#, "[]"] {
            let world = DriveWorld(["getLatestBlockhash": [.json(body)]])
            guard
                case .invalidData? = await failure(of: { () async throws(DriveError) in
                    try await world.service.rpc.latestBlockhash()
                })
            else {
                Issue.record("\(body) was taken")
                continue
            }
        }
        let busy = DriveWorld(["getLatestBlockhash": [.json("slow down", status: 429)]])
        #expect(
            await failure(of: { () async throws(DriveError) in try await busy.service.rpc.latestBlockhash() })
                == .refused(Refusal(status: 429, words: "")))
    }

    @Test("an account's bytes come in base64 and nothing else")
    func accounts() async throws {
        let config = StorageConfig(
            shadesPerGib: 250_000_000, storageAvailable: 1, tokenAccount: Vectors.account, admin: Vectors.account,
            uploader: Vectors.program.uploader)
        let world = DriveWorld(["getAccountInfo": [.chain(config)]])
        #expect(try await world.service.storageConfig() == config)
        let missing = DriveWorld()
        #expect(try await missing.service.storageConfig() == nil)
        for data in [#"["x","base58"]"#, #"["?","base64"]"#, #"["AA=="]"#, #""AA==""#] {
            let world = DriveWorld([
                "getAccountInfo": [
                    .json(#"{"result":{"value":{"data":\#(data),"owner":"\#(Vectors.program.id)"}}}"#)
                ]
            ])
            guard
                case .invalidData? = await failure(of: { () async throws(DriveError) in
                    try await world.service.storageConfig()
                })
            else {
                Issue.record("\(data) was taken")
                continue
            }
        }
    }
}

@Suite("Addresses of files")
struct FileLocationTests {
    @Test(
        "names are encoded as encodeURIComponent does",
        arguments: [
            ("hello.txt", "hello.txt"), ("Test File #2.txt", "Test%20File%20%232.txt"), ("a?b&c=d", "a%3Fb%26c%3Dd"),
            ("naïve ☃.txt", "na%C3%AFve%20%E2%98%83.txt"), ("dir/file", "dir%2Ffile"), ("100%", "100%25"),
            ("-_.!~*'()", "-_.!~*'()"), ("a+b;c:d@e$f,g", "a%2Bb%3Bc%3Ad%40e%24f%2Cg"),
            ("[x]{y}|\\^`\"<>", "%5Bx%5D%7By%7D%7C%5C%5E%60%22%3C%3E"),
            ("😀", "%F0%9F%98%80"),
        ])
    func encode(name: String, encoded: String) throws {
        #expect(FileLocation.encode(name) == encoded)
        let location = FileLocation(name, in: Vectors.account, base: DriveWorld.files)
        #expect(location.text == "http://files.example/\(Vectors.account)/\(encoded)")
        #expect(location.url?.absoluteString == location.text, "no part of it is changed on the way")
        #expect(FileLocation(location.text) == location)
    }

    @Test(
        "what someone wrote half encoded is made good",
        arguments: [
            ("a#b.txt", "a%23b.txt"), ("a b#c?.txt", "a%20b%23c%3F.txt"), ("100%", "100%25"), ("a%20b#c", "a%20b%23c"),
            ("dir/file", "dir%2Ffile"), ("na%c3%afve", "na%C3%AFve"),
        ])
    func halfEncoded(written: String, text: String) throws {
        let location = try #require(FileLocation("http://files.example/\(Vectors.account)/\(written)"))
        #expect(
            location.text == "http://files.example/\(Vectors.account)/\(text)" && location.account == Vectors.account)
    }

    @Test("a server may lie behind a path of its own")
    func path() throws {
        let base = try #require(URL(string: "http://127.0.0.1:8080/drive-files/"))
        let location = FileLocation("a b", in: Vectors.account, base: base)
        #expect(location.text == "http://127.0.0.1:8080/drive-files/\(Vectors.account)/a%20b")
        #expect(FileLocation(location.text) == location)
    }

    @Test(
        "what names no account and file is none",
        arguments: [
            "", "x", "http://files.example", "http://files.example/", "http://files.example/\(Vectors.account)",
            "http://files.example/\(Vectors.account)/", "ftp://files.example/\(Vectors.account)/a",
            "http://files.example/x/a",
        ])
    func none(text: String) {
        #expect(FileLocation(text) == nil)
    }
}
