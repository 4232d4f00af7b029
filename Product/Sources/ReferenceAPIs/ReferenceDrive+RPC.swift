import AquiferSolana
import Foundation
import HTTPServer

/// An error in the answer of a Solana node.
private struct RPCError: Error {
    let code: Int
    let message: String
}

extension ReferenceDrive {
    /// The instructions that the owner alone signs. Clients send them to the chain directly, not to the API.
    private static let ownerKinds = Set(StorageInstruction.Kind.allCases.filter { !$0.needsUploader })
    /// The price of a GiB in shades, the billionths of a SHDW.
    private static let shadesPerGib: UInt64 = 250_000_000
    /// The balance of every wallet in lamports, the billionths of a SOL.
    private static let lamports: UInt64 = 1_000_000_000

    /// The prices and limits.
    static func config(_ program: ShadowDriveProgram) -> StorageConfig {
        StorageConfig(
            shadesPerGib: shadesPerGib, storageAvailable: 1 << 50,
            tokenAccount: program.tokenAccount(of: program.emissions), admin: program.uploader,
            uploader: program.uploader)
    }

    /// The price of this number of bytes in shades.
    static func cost(ofBytes bytes: UInt64) -> UInt64 {
        config(.v1(uploader: uploader.publicKey)).cost(ofBytes: bytes)
    }

    /// The part of Solana's JSON-RPC that clients of Shadow Drive use.
    func rpc(_ request: ServerRequest) async throws -> ServerResponse {
        let fields = try await Self.fields(request).values
        var answer: [String: Any] = ["jsonrpc": "2.0", "id": fields["id"] ?? NSNull()]
        do {
            let method = fields["method"] as? String ?? ""
            answer["result"] = try await result(of: method, fields["params"] as? [Any] ?? [])
        } catch let error as RPCError {
            answer["error"] = ["code": error.code, "message": error.message] as [String: Any]
        } catch let error as ReferenceRefusal {
            answer["error"] = ["code": -32002, "message": error.message] as [String: Any]
        } catch let error as TransactionError {
            answer["error"] = ["code": Self.code(error), "message": "\(error)"] as [String: Any]
        }
        return try Self.json(answer)
    }

    private static func code(_ error: TransactionError) -> Int {
        switch error {
        case .missingSignature, .invalidSignature: -32003
        case .unexpected: -32002
        default: -32602
        }
    }

    private func result(of method: String, _ parameters: [Any]) async throws -> Any {
        let text = parameters.first as? String
        let options = (parameters.count > 1 ? parameters[1] : nil) as? [String: Any] ?? [:]
        switch method {
        case "getLatestBlockhash":
            let hash = try await store.newBlockhash()
            return try await inContext(["blockhash": "\(hash.hash)", "lastValidBlockHeight": hash.lastValid])
        case "getBlockHeight": return try await store.blockHeight()
        case "getEpochInfo":
            // Every slot has a block here.
            let height = try await store.blockHeight()
            return ["absoluteSlot": height, "blockHeight": height, "epoch": moment.epoch] as [String: Any]
        case "getSignatureStatuses": return try await statuses(parameters.first)
        case "getBalance":
            guard text.flatMap(Self.key) != nil else { throw RPCError(code: -32602, message: "Invalid param: Invalid") }
            return try await inContext(Self.lamports)
        case "getTokenAccountBalance": return try await tokens(text)
        case "getAccountInfo":
            guard let key = text.flatMap(Self.key) else {
                throw RPCError(code: -32602, message: "Invalid param: Invalid")
            }
            return try await inContext(try await accountOnChain(key))
        case "sendTransaction":
            guard let text, options["encoding"] as? String == "base64" else {
                throw RPCError(code: -32602, message: "send the transaction in base64, and say so")
            }
            return "\(try await carryOut(text, Self.ownerKinds).signature)"
        default:
            throw RPCError(code: -32601, message: "Method not found")
        }
    }

    private func statuses(_ parameter: Any?) async throws -> Any {
        var statuses: [Any] = []
        let slot = try await store.blockHeight()
        for text in parameter as? [Any] ?? [] {
            // A text that is not a signature gets the same answer as an unknown signature.
            let signature = (text as? String).flatMap { try? Signature($0) }
            let isDone = if let signature { await store.hasCarriedOut(signature) } else { false }
            statuses.append(
                isDone
                    ? ["slot": slot, "confirmations": NSNull(), "err": NSNull(), "confirmationStatus": "finalized"]
                        as [String: Any] : NSNull())
        }
        return try await inContext(statuses)
    }

    /// The balance of an owner's tokens. Only owners with an account are known here. All others have the initial
    /// balance.
    private func tokens(_ text: String?) async throws -> Any {
        guard let key = text.flatMap(Self.key) else { throw RPCError(code: -32602, message: "Invalid param: Invalid") }
        let shades = try await store.owner(tokens: key, in: program)?.shades ?? DriveStore.gift
        return try await inContext(
            ["amount": "\(shades)", "decimals": 9, "uiAmountString": Shades.text(shades)] as [String: Any])
    }

    private func inContext(_ value: Any) async throws -> [String: Any] {
        ["context": ["slot": try await store.blockHeight()], "value": value]
    }

    private func accountOnChain(_ key: PublicKey) async throws -> Any {
        guard let data = try await layout(at: key) else { return NSNull() }
        return [
            "data": [data.base64EncodedString(), "base64"], "executable": false, "lamports": 2_039_280,
            "owner": "\(program.id)", "rentEpoch": 0, "space": data.count,
        ] as [String: Any]
    }

    private func layout(at key: PublicKey) async throws -> Data? {
        if key == program.storageConfig {
            return Self.config(program).data
        }
        if let account = try await store.account(key) { return account.layout.data }
        if let owner = try await store.owner(userInfo: key) { return UserInfo(accountCounter: owner.accounts).data }
        guard let account = try await store.account(unstakeInfo: key, in: program), let unstaked = account.unstaked
        else {
            return nil
        }
        return UnstakeInfo(time: unstaked.time, epoch: UInt64(unstaked.epoch), unstaker: account.owner).data
    }
}
