import AquiferSolana
import Foundation
import HTTPServer

extension ReferenceDrive {
    func createAccount(_ request: ServerRequest) async throws -> ServerResponse {
        let done = try await carryOut(try await Self.fields(request).text("transaction"), [.create])
        return try Self.json([
            "shdw_bucket": "\(done.account)", "transaction_signature": "\(done.signature)",
        ])
    }

    func change(
        _ request: ServerRequest, by kinds: Set<StorageInstruction.Kind>, _ words: String
    ) async throws -> ServerResponse {
        let done = try await carryOut(try await Self.fields(request).text("transaction"), kinds)
        return try Self.json(["message": words, "transaction_signature": "\(done.signature)"])
    }

    /// Decodes and verifies a transaction, signs it if the server's signature is required, and carries it out.
    ///
    /// - Parameter kinds: The instructions that are allowed here.
    /// - Throws: `TransactionError`, `ReferenceRefusal`.
    func carryOut(
        _ base64: String, _ kinds: Set<StorageInstruction.Kind>
    ) async throws -> (account: PublicKey, signature: Signature) {
        var transaction = try SolanaTransaction(base64: base64)
        let asked = try program.parse(transaction)
        let kind = asked.instruction.kind
        guard kinds.contains(kind) else {
            throw ReferenceRefusal(400, "\(kind.rawValue) is not for this address")
        }
        try transaction.verify(allowingMissing: kind.needsUploader ? [program.uploader] : [])
        if kind.needsUploader { try transaction.sign(with: Self.uploader) }
        guard let signature = transaction.signature else {
            throw TransactionError.missingSignature(asked.owner)
        }
        if FaultInjector.expiring?.takeStaleness() == true {
            // The fault makes the transaction too late: its blockhash has expired on the chain.
            try await store.outlive()
            throw DriveStore.staleBlockhash
        }
        let blockhash = transaction.message.blockhash
        if case .create(let name, let bytes) = asked.instruction {
            try DriveAccount.check(name: name)
            try DriveAccount.check(size: bytes)
            try await store.create(
                asked, name: name, bytes: bytes, blockhash: blockhash, signature: signature, at: moment, in: program)
        } else {
            try await store.carryOut(asked, blockhash: blockhash, signature: signature, at: moment, in: program)
        }
        FaultInjector.deed?.isDone = true
        return (asked.account, signature)
    }
}
