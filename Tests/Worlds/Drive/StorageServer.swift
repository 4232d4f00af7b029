import AquiferSolana
import AquiferTesting
import Foundation

/// The drive's server: it signs transactions and sends them to the chain, waits until they are confirmed, and keeps files.
/// The files are on its disk, and survive a restart. What it was waiting for does not.
final class StorageServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// What a file was and is, in the order of the changes; `nil` while there is none.
    typealias Versions = [(date: Date, bytes: Data?)]

    private let world: Simulation
    let chain: Chain
    private let uploader: Keypair
    let owner: PublicKey
    /// By account and name.
    private(set) var files: [String: [String: Versions]] = [:]
    /// The slots by which the server's own node is behind.
    private let lag: Int

    init(_ world: Simulation, _ chain: Chain, uploader: Keypair, owner: PublicKey) {
        (self.world, self.chain, self.uploader, self.owner) = (world, chain, uploader, owner)
        lag = world.random.chance(0.3) ? world.random.int(in: 0...12) : 0
    }

    /// A refusal in the server's own words.
    private struct Refusal: Error {
        var status = 400
        var words: String
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        await pause()
        do {
            return NodeServer.json(try await reply(request, String(request.url.path().drop { $0 == "/" })))
        } catch {
            let refusal = error as? Refusal ?? Refusal(words: "\(error)")
            return NodeServer.json(["error": refusal.words], status: refusal.status)
        }
    }

    /// A file, as the host of the files has it.
    func file(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        await pause()
        let parts = request.url.path().split(separator: "/").map(String.init)
        guard parts.count == 2, let bytes = files[parts[0]]?[parts[1]]?.last?.bytes else { return .init(status: 404) }
        return .init(headers: ["Content-Type": "application/octet-stream"], body: bytes)
    }

    private func pause() async {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(100)))
    }

    private func reply(_ request: SimulatedNetwork.Request, _ path: String) async throws -> [String: Any] {
        if path == "upload" { return try await upload(request) }
        guard let fields = try JSONSerialization.jsonObject(with: request.body) as? [String: String] else {
            throw Refusal(words: "not a request")
        }
        switch path {
        case "storage-account":
            let (account, signature) = try await carryOut(fields["transaction"] ?? "")
            return ["shdw_bucket": "\(account)", "transaction_signature": signature]
        case "add-storage":
            return ["message": "added", "transaction_signature": try await carryOut(fields["transaction"] ?? "").1]
        case "storage-account-info": return try info(fields["storage_account"] ?? "")
        case "list-objects":
            let names = stored(fields["storageAccount"] ?? "").map(\.name)
            if names.isEmpty { throw Refusal(status: 500, words: "Internal server error") }
            return ["keys": names]
        case "list-objects-and-sizes":
            return [
                "files": stored(fields["storageAccount"] ?? "").map { ["file_name": $0.name, "size": $0.bytes.count] }
            ]
        case "delete-file": return try await delete(fields)
        default: throw Refusal(status: 404, words: "no such address")
        }
    }

    // MARK: Accounts

    private func info(_ text: String) throws -> [String: Any] {
        let slot = chain.slot - lag
        guard let account = chain.confirmed(at: slot).first(where: { "\($0.address)" == text }) else {
            throw Refusal(words: "there is no account \(text)")
        }
        return [
            "storage_account": text, "identifier": account.name,
            "reserved_bytes": account.reserved(at: slot - Chain.confirming),
            "current_usage": stored(text).reduce(0) { $0 + $1.bytes.count }, "immutable": false, "owner1": "\(owner)",
            "account_counter_seed": Int(account.number), "version": "V2",
        ]
    }

    /// Signs a transaction, lets a node try it, sends it, and waits until it is confirmed.
    private func carryOut(_ base64: String) async throws -> (PublicKey, String) {
        var transaction = try SolanaTransaction(base64: base64)
        let asked = try chain.program.parse(transaction)
        try transaction.verify(allowingMissing: [uploader.publicKey])
        try transaction.sign(with: uploader)
        guard let signature = transaction.signature.map({ "\($0)" }) else { throw Refusal(words: "not signed") }
        let (hash, slot) = (transaction.message.blockhash, chain.slot - lag)
        chain.settle()
        guard Chain.isValid(hash, at: slot) else {
            // One of its nodes says so. Another one may have taken the transaction before.
            if world.random.chance(0.4) { chain.take(signature, asked, hash) }
            throw Refusal(words: "failed to send transaction: Transaction simulation failed: Blockhash not found")
        }
        if let failure = chain.failure(of: asked, at: slot - Chain.confirming) {
            throw Refusal(words: "Transaction simulation failed: \(failure)")
        }
        let sent = chain.take(signature, asked, hash)
        if world.random.chance(0.05) {
            // It sends twice, and believes the second answer.
            throw Refusal(words: "Transaction simulation failed: This transaction has already been processed")
        }
        for _ in 0..<60 {
            try await world.clock.sleep(for: .seconds(1))
            guard let status = chain.status(of: signature, at: chain.slot - lag), status.text != "processed" else {
                continue
            }
            if let failure = sent.failure { throw Refusal(words: "Transaction failed in its block: \(failure)") }
            return (asked.account, signature)
        }
        throw Refusal(
            status: 500,
            words: "Transaction was not confirmed in 60.00 seconds. It is unknown if it succeeded or failed.")
    }

    // MARK: Files

    private func stored(_ account: String) -> [(name: String, bytes: Data)] {
        (files[account] ?? [:]).sorted { $0.key < $1.key }.compactMap { name, versions in
            versions.last?.bytes.map { (name, $0) }
        }
    }

    private func change(_ account: String, _ name: String, to bytes: Data?) {
        files[account, default: [:]][name, default: []].append((world.date, bytes))
        world.note(bytes.map { "has \(name): \($0.count) bytes" } ?? "has deleted \(name)")
    }

    private func check(_ message: SignedMessage, _ text: String?) throws {
        guard try Signature(text ?? "").isValid(of: message.bytes, by: owner) else {
            throw Refusal(status: 401, words: "the message is not signed by the owner")
        }
    }

    private func upload(_ request: SimulatedNetwork.Request) async throws -> [String: Any] {
        let form = try UploadedForm(request)
        let account = form.fields["storage_account"] ?? ""
        try check(.upload(to: try PublicKey(account), names: form.files.map(\.name)), form.fields["message"])
        await pause()
        var (locations, errors): ([String], [[String: String]]) = ([], [])
        for file in form.files {
            if files[account]?[file.name]?.last?.bytes != nil, form.fields["overwrite"] != "true" {
                errors.append(["file": file.name, "error": "a file of this name exists already"])
            } else {
                change(account, file.name, to: file.bytes)
                locations.append("http://files.example/\(account)/\(file.name)")
            }
        }
        await pause()
        return ["finalized_locations": locations, "message": account, "upload_errors": errors]
    }

    private func delete(_ fields: [String: String]) async throws -> [String: Any] {
        guard let text = fields["location"], let location = FileLocation(text) else { throw Refusal(words: "no file") }
        try check(.delete(text, from: location.account), fields["message"])
        guard files["\(location.account)"]?[location.name]?.last?.bytes != nil else {
            throw Refusal(words: "There is no such file")
        }
        change("\(location.account)", location.name, to: nil)
        await pause()
        return ["message": "File deleted"]
    }
}
