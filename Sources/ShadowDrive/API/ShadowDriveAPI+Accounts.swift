import Aquifer
import AquiferFoundation

extension ShadowDriveAPI {
    /// `POST /storage-account`: creates a storage account.
    ///
    /// - Parameter transaction: signed by the owner; the server adds its signature and sends it to Solana.
    public func createStorageAccount(_ transaction: SolanaTransaction) async throws(DriveError) -> NewStorage {
        try await post("storage-account", ["transaction": transaction.base64], .change)
    }

    /// `POST /storage-account-info`: describes a storage account.
    public func storageAccountInfo(_ account: PublicKey) async throws(DriveError) -> StorageAccount {
        let found: StorageAccount = try await post(
            "storage-account-info", ["storage_account": "\(account)"], .question)
        guard found.address == account else {
            throw .invalidData(.body(".storage_account is another than the one asked for"))
        }
        return found
    }

    /// `POST /add-storage`: reserves more bytes.
    ///
    /// - Parameter transaction: `increase_storage2`, or `increase_immutable_storage2` for an immutable account, signed
    ///   by the owner.
    public func addStorage(_ transaction: SolanaTransaction) async throws(DriveError) -> ChangeAnswer {
        try await post("add-storage", ["transaction": transaction.base64], .change)
    }

    /// `POST /reduce-storage`: releases reserved bytes.
    ///
    /// - Parameter transaction: `decrease_storage2`, signed by the owner.
    public func reduceStorage(_ transaction: SolanaTransaction) async throws(DriveError) -> ChangeAnswer {
        try await post("reduce-storage", ["transaction": transaction.base64], .change)
    }

    /// `POST /make-immutable`: makes an account immutable, permanently.
    ///
    /// - Parameter transaction: `make_account_immutable2`, signed by the owner.
    public func makeImmutable(_ transaction: SolanaTransaction) async throws(DriveError) -> ChangeAnswer {
        try await post("make-immutable", ["transaction": transaction.base64], .change)
    }

    private struct Size: Decodable {
        let storage_used: UInt64
    }

    /// `GET /storage-account-size`: the used bytes of an account. (Undocumented; other clients use it.)
    public func storageUsed(_ account: PublicKey) async throws(DriveError) -> UInt64 {
        let path = "storage-account-size"
        let url = base.appending(path: path).appending(
            queryItems: [URLQueryItem(name: "storageAccount", value: "\(account)")])
        let size: Size = try await ask(HTTPRequest(.get, url, headers: ["Accept": "application/json"]), .question, path)
        return size.storage_used
    }
}
