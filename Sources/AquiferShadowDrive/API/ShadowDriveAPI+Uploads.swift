import Aquifer
import AquiferFoundation

/// A file to send, checked, with its name in the storage account.
public struct FileToSend: Sendable, Hashable {
    /// The file on this machine.
    public let url: URL
    /// The name in the storage account. The file's own name is in Unicode's composed form; a given name is unchanged.
    public let name: String
    /// The file's size in bytes.
    public let size: UInt64

    /// Checks a file, and gives it its own name unless another one is given.
    ///
    /// - Throws: ``FileError`` if the file cannot be read, is larger than 1 GiB, or has a name that no request can
    ///   carry.
    public init(_ url: URL, name: String? = nil) throws(FileError) {
        self.url = url
        self.name = name ?? url.lastPathComponent.composed
        try Self.check(name: self.name)
        do throws(StoreError) {
            guard let file = try POSIX.openToRead(url.path(percentEncoded: false)), let size = try POSIX.size(file)
            else { throw StoreError.failed(operation: "open it", reason: "it is not there, or is not a file") }
            self.size = UInt64(size)
        } catch {
            let reason = if case .failed(_, let reason) = error { reason } else { "\(error)" }
            throw .unreadable(name: name ?? url.lastPathComponent, reason: reason)
        }
        guard size <= ShadowDriveLimits.fileBytes else { throw .tooLarge(name: self.name, bytes: size) }
    }

    private static func check(name: String) throws(FileError) {
        guard FileLocation.allows(name) else {
            throw .badName(name: name, reason: FileLocation.badNameReason)
        }
        // The names of an upload are joined by commas in the signed message.
        guard !name.contains(",") else { throw .badName(name: name, reason: "a comma separates names") }
        guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw .badName(name: name, reason: "it has a control character")
        }
    }

    /// The media type for the name's extension.
    var mediaType: String {
        switch name.split(separator: ".").last?.lowercased() {
        case "html", "htm": "text/html"
        case "css": "text/css"
        case "js", "mjs": "text/javascript"
        case "txt", "md": "text/plain"
        case "json": "application/json"
        case "pdf": "application/pdf"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "svg": "image/svg+xml"
        case "webp": "image/webp"
        case "mp3": "audio/mpeg"
        case "mp4": "video/mp4"
        default: "application/octet-stream"
        }
    }
}

extension ShadowDriveAPI {
    /// The idle timeout of an upload. It is long, because the server stores the files before it responds.
    private static let uploadLimits = HTTPRequest.Limits(idle: .seconds(120))

    /// `POST /upload`: sends up to five files. They are read from disk as they are sent.
    ///
    /// - Parameters:
    ///   - files: one to five files.
    ///   - account: the account that gets them.
    ///   - signer: the owner of the account.
    ///   - signature: the signature of `SignedMessage.upload(to:names:)` with the names in this order.
    ///   - overwrite: true if files of the same names are replaced.
    ///   - onSent: called with the sent bytes of the body and the body's length in bytes.
    public func upload(
        _ files: [FileToSend], to account: PublicKey, signer: PublicKey, signature: Signature, overwrite: Bool = false,
        onSent: (@Sendable (_ sent: UInt64, _ of: UInt64) -> Void)? = nil
    ) async throws(DriveError) -> UploadAnswer {
        precondition((1...ShadowDriveLimits.filesPerUpload).contains(files.count))
        var form = MultipartForm()
        for file in files { try add(file, to: &form) }
        form.add("message", "\(signature)")
        form.add("signer", "\(signer)")
        form.add("storage_account", "\(account)")
        form.add("fileNames", files.map(\.name).joined(separator: ","))
        if overwrite { form.add("overwrite", "true") }
        return try await send(form, to: "upload", onSent)
    }

    private struct EditAnswer: Decodable {
        let finalized_location: String
    }

    /// `POST /edit`: replaces the content of a file.
    ///
    /// - Parameters:
    ///   - file: the new content, under the name of the file that it replaces.
    ///   - location: the file's address.
    ///   - signer: the owner of the account.
    ///   - signature: the signature of `SignedMessage.edit(_:in:hash:)`.
    ///   - onSent: called with the sent bytes of the body and the body's length in bytes.
    /// - Returns: the file's address, as it was given.
    /// - Throws: ``DriveError/outcomeUnknown(because:)`` also if the answer is about another file.
    public func edit(
        _ file: FileToSend, at location: FileLocation, signer: PublicKey, signature: Signature,
        onSent: (@Sendable (_ sent: UInt64, _ of: UInt64) -> Void)? = nil
    ) async throws(DriveError) -> String {
        var form = MultipartForm()
        try add(file, to: &form)
        form.add("message", "\(signature)")
        form.add("signer", "\(signer)")
        form.add("storage_account", "\(location.account)")
        form.add("url", location.text)
        let answer: EditAnswer = try await send(form, to: "edit", onSent)
        // The server may write the same address in another way.
        guard let edited = FileLocation(answer.finalized_location), edited.account == location.account,
            edited.name.isExactly(location.name)
        else {
            throw DriveError.invalidData(.body(".finalized_location is another than the file's address")).afterSending
        }
        return location.text
    }

    private func add(_ file: FileToSend, to form: inout MultipartForm) throws(DriveError) {
        do throws(MultipartForm.UnusableFile) {
            try form.add("file", file: file.url, type: file.mediaType, filename: file.name)
        } catch {
            throw .file(.unreadable(name: file.name, reason: error.reason))
        }
    }

    private func send<Answer: Decodable & Sendable>(
        _ form: MultipartForm, to path: String, _ onSent: (@Sendable (UInt64, UInt64) -> Void)?
    ) async throws(DriveError) -> Answer {
        let body = form.body
        let length = body.length
        var request = HTTPRequest(
            .post, base.appending(path: path),
            headers: ["Content-Type": form.contentType, "Accept": "application/json"], body: body,
            limits: Self.uploadLimits)
        if let onSent { request.onSent = { onSent($0, length) } }
        return try await ask(request, .change, path)
    }
}
