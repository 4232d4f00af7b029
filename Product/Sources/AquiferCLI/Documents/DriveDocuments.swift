import App
import AquiferShadowDrive
import Foundation

/// A storage account.
struct AccountDocument: Encodable {
    let storageAccount: String
    let identifier: String
    let reservedBytes: UInt64
    let currentUsage: UInt64
    let immutable: Bool
    let toBeDeleted: Bool
    let owner1: String
    let version: String
    /// The time at which the account was added to the saved list; `null` if it was fetched with the list.
    @OrNull var savedAt: Date?

    init(_ account: StorageAccount, addedAt: Date? = nil) {
        storageAccount = "\(account.address)"
        identifier = account.identifier
        reservedBytes = account.reservedBytes
        currentUsage = account.currentUsage
        immutable = account.isImmutable
        toBeDeleted = account.isToBeDeleted
        owner1 = "\(account.owner1)"
        version = account.version.rawValue
        _savedAt = OrNull(wrappedValue: addedAt)
    }
}

/// A new storage account.
struct CreatedAccountDocument: Encodable {
    let shdwBucket: String
    let transactionSignature: String
}

/// A file of an account.
struct StoredFileDocument: Encodable {
    let fileName: String
    let size: UInt64
}

/// The outcome of one file of an upload.
struct UploadedFileDocument: Encodable {
    let file: String
    @OrNull var location: String?
    @OrNull var error: ErrorDocument.Details?

    init(_ file: String, location: String?, error: CommandError?) {
        self.file = file
        _location = OrNull(wrappedValue: location)
        _error = OrNull(wrappedValue: error.map { ErrorDocument.Details($0) })
    }
}

/// The place of a file that was replaced.
struct EditedFileDocument: Encodable {
    let finalizedLocation: String
}

/// The owner and the account of a file.
struct FileOwnerDocument: Encodable {
    let ownerAccountPubkey: String
    let storageAccountPubkey: String
}

/// The answer to a change of an account.
struct ChangeAnswerDocument: Encodable {
    @OrNull var message: String?
    @OrNull var transactionSignature: String?

    init(message: String? = nil, signature: String?) {
        _message = OrNull(wrappedValue: message)
        _transactionSignature = OrNull(wrappedValue: signature)
    }
}

/// A new key pair. The secret is in the file alone.
struct KeyDocument: Encodable {
    let pubkey: String
}

/// A transaction that was not sent.
struct TransactionDocument: Encodable {
    let transaction: String
    let storageAccount: String
    let bytes: Int
    let missingSignatures: [String]
}
