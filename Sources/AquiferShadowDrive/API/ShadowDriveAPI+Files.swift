import Aquifer
import AquiferFoundation

extension ShadowDriveAPI {
    private struct Keys: Decodable {
        let keys: [String]
    }

    private struct Files: Decodable {
        let files: [StoredFile]
    }

    private struct Object: Decodable {
        let file_data: FileOwnership?
    }

    /// `POST /list-objects`: the names of an account's files.
    ///
    /// - Throws: ``DriveError/refused(_:)`` with ``DriveRefusal/Reason/emptyAccount`` for a 500. The server sends a 500 for
    ///   an account without files.
    public func listObjects(in account: PublicKey) async throws(DriveError) -> [String] {
        let keys: Keys = try await post("list-objects", ["storageAccount": "\(account)"], .question)
        return keys.keys
    }

    /// `POST /list-objects-and-sizes`: an account's files.
    public func listFiles(in account: PublicKey) async throws(DriveError) -> [StoredFile] {
        let files: Files = try await post("list-objects-and-sizes", ["storageAccount": "\(account)"], .question)
        guard Set(files.files.map(\.id)).count == files.files.count else {
            throw .invalidData(.body(".files has a name twice"))
        }
        return files.files
    }

    /// `POST /get-object-data`: the ownership of a file.
    ///
    /// - Parameter location: the file's address, sent unchanged.
    /// - Throws: ``DriveError/noSuchFile(_:)`` when the answer has no `file_data`.
    public func objectData(at location: String) async throws(DriveError) -> FileOwnership {
        let object: Object = try await post("get-object-data", ["location": location], .question)
        guard let data = object.file_data else { throw .noSuchFile(location) }
        return data
    }

    /// `POST /delete-file`: deletes a file.
    ///
    /// - Parameters:
    ///   - location: the file's address, byte for byte as it was signed.
    ///   - signer: the owner of the account.
    ///   - signature: the signature of `SignedMessage.delete(_:from:)`.
    public func deleteFile(
        at location: String, signer: PublicKey, signature: Signature
    ) async throws(DriveError) -> ChangeAnswer {
        try await post(
            "delete-file", ["signer": "\(signer)", "message": "\(signature)", "location": location], .change)
    }
}
