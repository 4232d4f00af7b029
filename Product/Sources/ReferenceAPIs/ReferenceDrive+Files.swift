import AquiferCrypto
import AquiferSolana
import Foundation
import HTTPServer

extension ReferenceDrive {
    /// A form with files, as it arrives. At most one piece of a file is held in memory.
    private struct Form {
        var fields: [String: String] = [:]
        var files: [(filename: String, arrival: DriveStore.Arrival, hash: Data)] = []

        func text(_ name: String) throws(ReferenceRefusal) -> String {
            guard let text = fields[name], !text.isEmpty else {
                throw ReferenceRefusal(400, "the part \(name) is missing")
            }
            return text
        }

        func key(_ name: String) throws(ReferenceRefusal) -> PublicKey {
            guard let key = ReferenceDrive.key(try text(name)) else {
                throw ReferenceRefusal(400, "the part \(name) must be an address")
            }
            return key
        }
    }

    /// Reads the form. Its files are removed after `use`, except those that were placed in an account.
    private func withForm<Answer>(
        _ request: ServerRequest, files most: Int, _ use: (Form) async throws -> Answer
    ) async throws -> Answer {
        var reader = try MultipartReader(request)
        var form = Form()
        defer { store.abandon(form.files.map(\.arrival)) }
        while let part = try await reader.nextPart() {
            guard part.name == "file" else {
                let bytes = try await reader.collect(upTo: Self.largestField)
                guard form.fields[part.name] == nil else {
                    throw ReferenceRefusal(400, "the part \(part.name) came twice")
                }
                form.fields[part.name] = String(decoding: bytes, as: UTF8.self)
                continue
            }
            guard form.files.count < most else { throw ReferenceRefusal(400, "there are more than \(most) files") }
            guard let filename = part.filename else { throw ReferenceRefusal(400, "a file has no name") }
            form.files.append((filename, try await store.begin(), Data()))
            let last = form.files.count - 1
            form.files[last].hash = try await write(&reader, to: &form.files[last].arrival)
        }
        guard !form.files.isEmpty else { throw ReferenceRefusal(400, "there is no file") }
        return try await use(form)
    }

    private func write(_ reader: inout MultipartReader, to arrival: inout DriveStore.Arrival) async throws -> Data {
        let handle = try FileHandle(forWritingTo: arrival.url)
        // The writes have reported every error; `closeFile()` would trap.
        defer { try? handle.close() }
        var hash = SHA256Hash()
        while let piece = try await reader.nextPiece() {
            try arrival.add(piece, to: handle)
            hash.update(piece)
            try await FaultInjector.slowing?.pause(for: piece.count)
        }
        return hash.finish()
    }

    /// Checks that the account's owner has signed exactly this message.
    ///
    /// - Throws: `ReferenceRefusal` with status 401.
    private func check(_ message: SignedMessage, _ text: String, by signer: PublicKey, for account: DriveAccount)
        throws(ReferenceRefusal)
    {
        // A text that is not a signature counts as a wrong one.
        guard signer == account.owner, let signature = try? Signature(text),
            signature.isValid(of: message.bytes, by: signer)
        else { throw ReferenceRefusal(401, "Message did not match the expected one, or is not signed by the owner") }
    }

    private func location(_ name: String, in account: PublicKey, _ request: ServerRequest) -> String {
        let host = request.headers["Host"] ?? "127.0.0.1"
        return "http://\(host)/drive/files/\(account)/\(FileLocation.encode(name))"
    }

    // MARK: Upload

    /// The result of an upload: the names of the stored files, and the errors of the others.
    private struct Kept: Sendable {
        var names: [String] = []
        var errors: [(name: String, words: String)] = []
    }

    func upload(_ request: ServerRequest) async throws -> ServerResponse {
        try await withForm(request, files: ShadowDriveLimits.filesPerUpload) { form in
            let account = try await account(form.key("storage_account"))
            let text = try form.text("fileNames")
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            // The names in the heads of parts are escaped as in forms. Those in `fileNames` are unescaped, and signed.
            guard form.files.map({ Data($0.filename.utf8) }) == names.map({ Data(MultipartReader.unescaped($0).utf8) })
            else {
                throw ReferenceRefusal(400, "fileNames are not the names of the files")
            }
            // The signature is of the text as it arrived, with its commas.
            try check(
                .upload(to: account.address, names: [text]), try form.text("message"), by: form.key("signer"),
                for: account)
            let replaces = form.fields["overwrite"] == "true"
            let arrivals = zip(names, form.files.map(\.arrival)).map { ($0, $1) }
            let kept = try await store.change(account.address) { account in
                try keep(arrivals, in: &account, replacing: replaces)
            }
            if !kept.names.isEmpty { FaultInjector.deed?.isDone = true }
            var answer: [String: Any] = [
                "finalized_locations": kept.names.map { location($0, in: account.address, request) },
                "message": "\(account.address)",
            ]
            if !kept.errors.isEmpty {
                answer["upload_errors"] = kept.errors.map {
                    ["file": $0.name, "storage_account": "\(account.address)", "error": $0.words]
                }
            }
            return try Self.json(answer)
        }
    }

    private func keep(
        _ arrivals: [(name: String, arrival: DriveStore.Arrival)], in account: inout DriveAccount, replacing: Bool
    ) throws -> Kept {
        var kept = Kept()
        for (name, arrival) in arrivals {
            if let words = Self.fault(of: name, arrival, in: account, replacing: replacing, already: kept.names) {
                kept.errors.append((name, words))
                continue
            }
            try store.place(arrival, in: account.address)
            account.put(arrival.file(named: name))
            kept.names.append(name)
        }
        return kept
    }

    private static func fault(
        of name: String, _ arrival: DriveStore.Arrival, in account: DriveAccount, replacing: Bool, already: [String]
    ) -> String? {
        guard (1...longestName).contains(name.utf8.count), name != ".", name != "..",
            !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return "the name is none for a file" }
        guard !arrival.isTooLarge else { return "the file has more than \(ShadowDriveLimits.fileBytes) bytes" }
        guard !already.contains(where: name.isExactly) else { return "the name came twice" }
        let old = account.file(name)
        guard old == nil || replacing else { return "a file of this name exists already" }
        guard old == nil || !account.isImmutable else { return "the storage account is immutable" }
        return account.hasRoom(for: arrival.size, insteadOf: old) ? nil : "not enough storage is left in the account"
    }

    // MARK: Edit, delete

    func edit(_ request: ServerRequest) async throws -> ServerResponse {
        try await withForm(request, files: 1) { form in
            let account = try await account(form.key("storage_account"))
            let url = try form.text("url")
            guard let location = FileLocation(url), location.account == account.address else {
                throw ReferenceRefusal(400, "url is not of a file of the account")
            }
            let file = form.files[0]
            guard file.filename.isExactly(MultipartReader.unescaped(location.name)) else {
                throw ReferenceRefusal(400, "the file has another name than the one at url")
            }
            try check(
                .edit(location.name, in: account.address, hash: file.hash), try form.text("message"),
                by: form.key("signer"), for: account)
            guard !file.arrival.isTooLarge else {
                throw ReferenceRefusal(400, "the file has more than \(ShadowDriveLimits.fileBytes) bytes")
            }
            try await store.change(account.address) { account in
                try account.refuseIfImmutable()
                guard let old = account.file(location.name) else { throw Self.noFile }
                guard account.hasRoom(for: file.arrival.size, insteadOf: old) else {
                    throw ReferenceRefusal(400, "not enough storage is left in the account")
                }
                try store.place(file.arrival, in: account.address)
                account.put(file.arrival.file(named: location.name))
            }
            FaultInjector.deed?.isDone = true
            return try Self.json(["finalized_location": url])
        }
    }

    func deleteFile(_ request: ServerRequest) async throws -> ServerResponse {
        let fields = try await Self.fields(request)
        let text = try fields.text("location")
        guard let location = FileLocation(text) else { throw ReferenceRefusal(400, "location is not of a file") }
        let account = try await account(location.account)
        try check(
            .delete(text, from: account.address), try fields.text("message"), by: fields.key("signer"), for: account)
        try await store.change(account.address) { account in
            try account.refuseIfImmutable()
            guard account.file(location.name) != nil else { throw Self.noFile }
            account.files.removeAll { $0.name.isExactly(location.name) }
        }
        FaultInjector.deed?.isDone = true
        return try Self.json(["message": "File deleted"])
    }

    private static let noFile = ReferenceRefusal(400, "There is no such file")
}

extension DriveAccount {
    fileprivate func hasRoom(for size: UInt64, insteadOf old: DriveFile?) -> Bool {
        usage - (old?.size ?? 0) + size <= reserved
    }

    /// Adds a file, or replaces the file of the same name.
    fileprivate mutating func put(_ file: DriveFile) {
        if let place = files.firstIndex(where: { $0.name.isExactly(file.name) }) {
            files[place] = file
        } else {
            files.append(file)
        }
    }
}
