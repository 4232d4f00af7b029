import Aquifer
import AquiferShadowDrive
import AquiferTesting
import AquiferWording
import Foundation
import Testing

func key(in file: URL) throws(KeypairError) -> Keypair {
    do throws(KeypairError) {
        return try Keypair(contentsOf: file)
    } catch .missing {
        let keypair = try Keypair()
        try keypair.write(to: file)
        return keypair
    }
}

func drive(
    _ keypair: Keypair, server: URL, node: URL, client: any HTTPClient, store: any CacheStore
) -> ShadowDriveService {
    ShadowDriveService(
        api: ShadowDriveAPI(base: server, files: server.appending(path: "files"), client: client),
        rpc: SolanaRPC(url: node, client: client), keypair: keypair, store: store)
}

func words(for error: DriveError) -> String {
    switch error {
    case .refused(let refusal) where refusal.reason == .notEnoughFunds: "Add some SOL first"
    case .outcomeUnknown: "It may have been made. Look at your accounts before you try again"
    default: error.message(in: .english)
    }
}

@Suite("From keypair to first file", .timeLimit(.minutes(1)))
struct FromKeypairToFirstFile {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-drive-\(UUID().uuidString)")
    private let server = URL(string: "http://drive.example")

    private func client(_ keypair: Keypair) -> ScriptedHTTPClient {
        let account = ShadowDriveProgram.v1.storageAccount(of: keypair.publicKey, counter: 0)
        let hash = "US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx"
        return ScriptedHTTPClient { request in
            guard let body = try? request.body?.data() else { return .answer(status: 400) }
            let answer =
                switch request.url.lastPathComponent {
                case "storage-account":
                    #"{"shdw_bucket":"\#(account)","transaction_signature":"\#(signature(of: body))"}"#
                case "upload":
                    #"{"finalized_locations":["http://drive.example/files/\#(account)/hello%20%231.txt"],"message":"stored"}"#
                case _ where String(decoding: body, as: UTF8.self).contains("getLatestBlockhash"):
                    #"{"result":{"value":{"blockhash":"\#(hash)"}}}"#
                default: #"{"result":{"value":null}}"#
                }
            return .answer(body: Data(answer.utf8))
        }
    }

    /// The signature of the transaction in a request, which the server repeats in its answer.
    private func signature(of body: Data) -> String {
        let sent = try? JSONDecoder().decode([String: String].self, from: body)  // as an empty one, which fits nothing
        let transaction = sent?["transaction"].flatMap { try? SolanaTransaction(base64: $0) }
        return transaction?.signature.map { "\($0)" } ?? ""
    }

    @Test("a key, an account, a file")
    func firstFile() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let server = try #require(server)
        let keypair = try key(in: folder.appending(path: "id.json"))
        #expect(try key(in: folder.appending(path: "id.json")) == keypair)
        let file = folder.appending(path: "hello #1.txt")
        try Data("hello".utf8).write(to: file)
        let drive = drive(keypair, server: server, node: server, client: client(keypair), store: MemoryStore())

        let created = try await drive.createStorageAccount(name: "my-bucket", size: StorageSize.parse("10MB"))
        let account = created.account.address

        var lines: [String] = []
        for await event in drive.uploading([file], to: account) {
            switch event {
            case .progress(let progress): lines.append("\(Int(progress.fraction * 100)) %")
            case .file(let result):
                lines.append(result.location?.text ?? "\(result.name): \(result.error.map(words) ?? "")")
            }
        }
        #expect(lines.contains("http://drive.example/files/\(account)/hello%20%231.txt") && lines.last == "100 %")

        let saved = try await drive.accounts?.saved()
        #expect(saved?.value.accounts.map(\.identifier) == ["my-bucket"])
    }

    @Test("a transaction made elsewhere")
    func elsewhere() async throws {
        let keypair = try Keypair()
        let server = try #require(server)
        let blockhash = try Blockhash("US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx")
        let program = ShadowDriveProgram.v1
        let account = program.storageAccount(of: keypair.publicKey, counter: 0)
        var transaction = try program.transaction(
            .create(name: "my-bucket", bytes: 1 << 20), owner: keypair.publicKey, account: account,
            blockhash: blockhash)
        try transaction.sign(with: keypair)
        let text = transaction.base64
        #expect(transaction.missingSigners == [program.uploader])

        let drive = drive(keypair, server: server, node: server, client: client(keypair), store: MemoryStore())
        let created = try await drive.createStorageAccount(transaction: SolanaTransaction(base64: text))
        #expect(created.account.address == account)
    }

    @Test("words for errors")
    func errors() {
        #expect(
            words(for: .refused(DriveRefusal(status: 400, words: "custom program error: 0x1"))) == "Add some SOL first")
        let timeOut = DriveError.connectivity(TransportError(.timedOut))
        #expect(words(for: .outcomeUnknown(because: timeOut)).contains("Look at your accounts"))
        #expect(words(for: timeOut).contains("try again"))
    }
}
