import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Solana's JSON-RPC", .timeLimit(.minutes(10)))
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

    @Test("what a node refused before it sent anything is a refusal; whatever else it answers leaves it open")
    func refusedOrOpen() async throws {
        var transaction = try Vectors.program.transaction(
            .claimStake, owner: Vectors.owner.publicKey, account: Vectors.account, blockhash: Vectors.blockhash)
        try transaction.sign(with: Vectors.owner)
        func error(_ code: Int, _ words: String, _ status: Int) async -> DriveError? {
            let body = #"{"jsonrpc":"2.0","id":1,"error":{"code":\#(code),"message":"\#(words)"}}"#
            return await told(body, status)
        }
        func told(_ body: String, _ status: Int) async -> DriveError? {
            let world = DriveWorld(["sendTransaction": [.json(body, status: status)]])
            return await failure { [transaction] () async throws(DriveError) in
                try await world.service.rpc.send(transaction)
            }
        }
        for (code, words) in [
            (-32002, "Transaction simulation failed: Blockhash not found"), (-32003, "signature verification failure"),
            (-32005, "Node is behind by 42 slots"), (-32602, "invalid params"),
        ] {
            for status in [200, 400, 500] {
                let told = await error(code, words, status)
                guard case .refused? = told else {
                    Issue.record("\(code) is \(String(describing: told))")
                    continue
                }
            }
        }
        for (code, words) in [
            (-32603, "Internal error"), (-32000, "Server error"), (429, "Too many requests"), (0, ""),
        ] {
            #expect(await error(code, words, 200)?.isOutcomeUnknown == true, "\(code)")
        }
        for status in [400, 403, 407, 429, 500, 502, 503, 504, 520] {
            for body in ["", "x", "<html></html>", "{}", #"{"result":null}"#] {
                #expect(await told(body, status)?.isOutcomeUnknown == true, "\(status) \(body)")
            }
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
        #expect(error == .refused(DriveRefusal(status: -32002, words: "Blockhash not found", reason: .staleBlockhash)))
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
                == .refused(DriveRefusal(status: 429, words: "")))
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
        for body in [#"{"result":{}}"#, #"{"result":{"context":{"slot":1}}}"#, #"{"result":{"value":7}}"#] {
            let error = await failure { () async throws(DriveError) in
                try await DriveWorld(["getAccountInfo": [.json(body)]]).service.storageConfig()
            }
            guard case .invalidData? = error else {
                Issue.record("\(body) was taken for no account")
                continue
            }
        }
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
        let location = try #require(FileLocation(name, in: Vectors.account, base: DriveWorld.files))
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
        let location = try #require(FileLocation("a b", in: Vectors.account, base: base))
        #expect(location.text == "http://127.0.0.1:8080/drive-files/\(Vectors.account)/a%20b")
        #expect(FileLocation(location.text) == location)
    }

    @Test(
        "what names no account and file is none",
        arguments: [
            "", "x", "http://files.example", "http://files.example/", "http://files.example/\(Vectors.account)",
            "http://files.example/\(Vectors.account)/", "ftp://files.example/\(Vectors.account)/a",
            "http://files.example/x/a", "http://files.example/\(Vectors.account)/..",
            "http://files.example/\(Vectors.account)/%2e%2E", "http://files.example/\(Vectors.account)/.",
        ])
    func none(text: String) {
        #expect(FileLocation(text) == nil)
    }

    @Test("a name that leads out of its account is never asked for", arguments: ["", ".", ".."])
    func leading(name: String) async {
        #expect(FileLocation(name, in: Vectors.account, base: DriveWorld.files) == nil)
        let world = DriveWorld()
        let bad = DriveError.file(.badName(name: name, reason: "addresses with it lead elsewhere"))
        await #expect(throws: bad) { _ = try await world.service.open(name, in: world.account) }
        #expect(world.client.requests.isEmpty)
    }
}
