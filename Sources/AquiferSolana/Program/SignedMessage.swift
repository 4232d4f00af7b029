import Aquifer
import AquiferCrypto
import AquiferFoundation

/// The message that is signed for a request that changes files. The server checks the exact bytes; the spaces differ
/// between the messages.
public struct SignedMessage: Sendable, Hashable, CustomStringConvertible {
    /// The text, without a trailing line break.
    public let text: String

    /// The message for an upload of files with these names, in this order.
    public static func upload(to account: PublicKey, names: [String]) -> SignedMessage {
        let hash = SHA256Hash.hash(Data(names.joined(separator: ",").utf8)).hexadecimal
        return SignedMessage(
            text: "Shadow Drive Signed Message:\nStorage Account: \(account)\nUpload files with hash: \(hash)")
    }

    /// The message for replacing the content of a file.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - account: the account of the file.
    ///   - hash: the SHA-256 of the new content.
    public static func edit(_ name: String, in account: PublicKey, hash: Data) -> SignedMessage {
        SignedMessage(
            text:
                "Shadow Drive Signed Message:\n StorageAccount: \(account)\nFile to edit: \(name)\nNew file hash: \(hash.hexadecimal)"
        )
    }

    /// The message for deleting a file.
    ///
    /// - Parameters:
    ///   - url: the file's address, byte for byte as it is sent in `location`.
    ///   - account: the account of the file.
    public static func delete(_ url: String, from account: PublicKey) -> SignedMessage {
        SignedMessage(
            text: "Shadow Drive Signed Message:\nStorageAccount: \(account)\nFile to delete: \(url)")
    }

    /// The bytes that are signed.
    public var bytes: Data { Data(text.utf8) }

    /// The text.
    public var description: String { text }

    /// The owner's signature of the message.
    public func signature(by keypair: Keypair) -> Signature { keypair.sign(bytes) }
}
