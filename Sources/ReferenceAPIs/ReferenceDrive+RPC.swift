import Foundation
import HTTPServer
import ShadowDrive

/// What a Solana node says no with.
private struct RPCError: Error {
    let code: Int
    let message: String
}

extension ReferenceDrive {
    /// What is sent to the chain past the API: what the owner alone signs.
    private static let ownerKinds = Set(StorageInstruction.Kind.allCases.filter { !$0.needsUploader })
    /// What a GiB costs, in billionths of a SHDW.
    private static let shadesPerGib: UInt64 = 250_000_000

    /// Solana's JSON-RPC, as much of it as clients of Shadow Drive use.
    func rpc(_ request: ServerRequest) async throws -> ServerResponse {
        let fields = try await Self.fields(request).values
        var answer: [String: Any] = ["jsonrpc": "2.0", "id": fields["id"] ?? NSNull()]
        do {
            let method = fields["method"] as? String ?? ""
            answer["result"] = try await result(of: method, fields["params"] as? [Any] ?? [])
        } catch let error as RPCError {
            answer["error"] = ["code": error.code, "message": error.message] as [String: Any]
        } catch let error as Refusal {
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
            return inContext(["blockhash": "\(hash)", "lastValidBlockHeight": slot + DriveStore.blockhashes])
        case "getAccountInfo":
            guard let key = text.flatMap(Self.key) else {
                throw RPCError(code: -32602, message: "Invalid param: Invalid")
            }
            return inContext(try await accountOnChain(key))
        case "sendTransaction":
            guard let text, options["encoding"] as? String == "base64" else {
                throw RPCError(code: -32602, message: "send the transaction in base64, and say so")
            }
            return "\(try await carryOut(text, Self.ownerKinds).signature)"
        default:
            throw RPCError(code: -32601, message: "Method not found")
        }
    }

    private var slot: Int { Int(moment.seconds) }

    private func inContext(_ value: Any) -> [String: Any] { ["context": ["slot": slot], "value": value] }

    private func accountOnChain(_ key: PublicKey) async throws -> Any {
        guard let data = try await layout(at: key) else { return NSNull() }
        return [
            "data": [data.base64EncodedString(), "base64"], "executable": false, "lamports": 2_039_280,
            "owner": "\(program.id)", "rentEpoch": 0, "space": data.count,
        ] as [String: Any]
    }

    private func layout(at key: PublicKey) async throws -> Data? {
        if key == program.storageConfig {
            return StorageConfig(
                shadesPerGib: Self.shadesPerGib, storageAvailable: 1 << 50,
                tokenAccount: program.tokenAccount(of: program.emissions), admin: program.uploader,
                uploader: program.uploader
            ).data
        }
        if let account = try await store.account(key) { return account.layout.data }
        guard let owner = try await store.owner(userInfo: key) else { return nil }
        return UserInfo(accountCounter: owner.accounts).data
    }
}
