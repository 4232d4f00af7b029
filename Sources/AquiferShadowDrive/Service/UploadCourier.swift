import Aquifer
import AquiferFoundation

/// Uploads batches of files and determines the outcome of each file.
struct UploadCourier: Sendable {
    let api: ShadowDriveAPI
    let account: PublicKey
    let keypair: Keypair
    let overwrite: Bool
    /// True if it is known that no file of these names was stored before.
    let areNew: Bool
    let meter: UploadMeter

    typealias Outcome = Result<FileLocation, DriveError>

    /// Uploads a batch and returns one outcome per file, in the order of the files.
    func deliver(_ files: [FileToSend]) async -> [Outcome] {
        guard !Task.isCancelled else { return files.map { _ in .failure(.cancelled) } }
        do throws(DriveError) {
            let answer = try await send(files)
            return await outcomes(of: files, in: answer)
        } catch {
            switch error {
            case .refused(let refusal) where files.count > 1 && refusal.mayConcernOneFile:
                return await deliverOneByOne(files)
            case .file where files.count > 1:
                // One file can no longer be read. The others may still be readable.
                return await deliverOneByOne(files)
            case .outcomeUnknown(let cause) where cause != .cancelled:
                return await lookForArrivals(files, error)
            default:
                return files.map { _ in .failure(error) }
            }
        }
    }

    private func deliverOneByOne(_ files: [FileToSend]) async -> [Outcome] {
        var outcomes: [Outcome] = []
        for file in files { outcomes += await deliver([file]) }
        return outcomes
    }

    private func send(_ files: [FileToSend]) async throws(DriveError) -> UploadAnswer {
        let message = SignedMessage.upload(to: account, names: files.map(\.name))
        let size = files.reduce(0) { $0 + $1.size }
        let meter = meter
        return try await api.upload(
            files, to: account, signer: keypair.publicKey, signature: message.signature(by: keypair),
            overwrite: overwrite
        ) { sent, length in
            meter.sent(sent, of: length, size: size)
        }
    }

    /// A file is stored if the response contains its address. A file that the response does not mention is looked up in
    /// the account.
    private func outcomes(of files: [FileToSend], in answer: UploadAnswer) async -> [Outcome] {
        let told = files.map { outcome(of: $0, in: answer) }
        let open = zip(files, told).filter { $1 == nil }.map(\.0)
        guard !open.isEmpty else { return told.compactMap(\.self) }
        let error = DriveError.invalidData(.body("the answer does not say what became of the file")).afterSending
        var found = await lookForArrivals(open, error)[...]
        return told.map { $0 ?? found.removeFirst() }
    }

    private func outcome(of file: FileToSend, in answer: UploadAnswer) -> Outcome? {
        if let failure = answer.failures.first(where: { $0.file.isExactly(file.name) }) {
            return .failure(refusal(failure.error, of: file))
        }
        // The name was checked when the file was taken: another one has no address.
        guard let location = try? api.location(of: file.name, in: account) else { return nil }
        let isNamed = (answer.locations ?? []).contains { text in
            text == location.text
                || FileLocation(text).map { $0.name.isExactly(file.name) && $0.account == account } == true
        }
        return isNamed ? .success(location) : nil
    }

    /// The error for the server's words about a file. A file that is already stored has its own error, because it can
    /// be replaced.
    private func refusal(_ words: String, of file: FileToSend) -> DriveError {
        if !overwrite, words.firstMatch(of: #/already exist|exists? already/#.ignoresCase()) != nil {
            return .file(.exists(name: file.name))
        }
        return .refused(DriveRefusal(status: 200, words: words))
    }

    /// Looks up files in the account if no response gave their outcome, because they may have arrived.
    private func lookForArrivals(_ files: [FileToSend], _ error: DriveError) async -> [Outcome] {
        guard let stored = try? await api.listFiles(in: account) else {
            return files.map { _ in .failure(error) }  // the first error is the one to tell
        }
        var outcomes: [Outcome] = []
        for file in files {
            // As above: the name has an address.
            if await isStored(file, stored), let location = try? api.location(of: file.name, in: account) {
                outcomes.append(.success(location))
            } else {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }

    /// True if a file is stored. A stored file of the same name and size may be an older file. The contents are
    /// therefore compared, unless it is known that no such file was stored before.
    private func isStored(_ file: FileToSend, _ stored: [StoredFile]) async -> Bool {
        guard stored.contains(StoredFile(name: file.name, size: file.size)) else { return false }
        if areNew { return true }
        // A content that cannot be loaded counts as different.
        guard let here = try? await FileHash.sha256(of: file),
            let there = try? await FileHash.sha256(at: api.location(of: file.name, in: account), size: file.size, api)
        else { return false }
        return here == there
    }
}

extension DriveRefusal {
    /// True if a batch may have been refused because of one file. The files are then sent one by one.
    fileprivate var mayConcernOneFile: Bool {
        switch reason {
        case .notEnoughFunds, .staleBlockhash, .alreadyProcessed, .badSignature, .emptyAccount, .inVain, .unconfirmed:
            false
        case .serverFailure, .other: [400, 409, 413, 415, 422].contains(status)
        }
    }
}
