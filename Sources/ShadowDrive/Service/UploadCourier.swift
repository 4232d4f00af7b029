import Aquifer
import Foundation

/// Delivers one batch of files, and finds out what became of each.
struct UploadCourier: Sendable {
    let api: ShadowDriveAPI
    let account: PublicKey
    let keypair: Keypair
    let overwrite: Bool
    let meter: UploadMeter

    typealias Outcome = Result<FileLocation, DriveError>

    /// One outcome a file, in their order.
    func deliver(_ files: [FileToSend]) async -> [Outcome] {
        guard !Task.isCancelled else { return files.map { _ in .failure(.cancelled) } }
        do throws(DriveError) {
            let answer = try await send(files)
            return files.map { outcome(of: $0, in: answer, alone: files.count == 1) }
        } catch {
            switch error {
            case .refused(let refusal) where files.count > 1 && refusal.mayConcernOneFile:
                var outcomes: [Outcome] = []
                for file in files { outcomes += await deliver([file]) }
                return outcomes
            case .file where files.count > 1:
                // One of them cannot be read any more: the others can.
                var outcomes: [Outcome] = []
                for file in files { outcomes += await deliver([file]) }
                return outcomes
            case .outcomeUnknown(.cancelled):
                // The customer left; the list that is loaded next tells what arrived after all.
                return files.map { _ in .failure(.cancelled) }
            case .outcomeUnknown(.connectivity):
                return await lookForArrivals(files, error)
            default:
                return files.map { _ in .failure(error) }
            }
        }
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

    private func outcome(of file: FileToSend, in answer: UploadAnswer, alone: Bool) -> Outcome {
        if let failure = answer.failures.first(where: { $0.file == file.name }) {
            return .failure(.refused(Refusal(status: 200, words: failure.error)))
        }
        let location = api.location(of: file.name, in: account)
        guard let locations = answer.locations else {
            // A server that names no places names no failures of others either.
            return answer.failures.isEmpty || !alone ? .success(location) : failed(answer)
        }
        let isNamed = locations.contains { text in
            text == location.text || FileLocation(text).map { $0.name == file.name && $0.account == account } == true
        }
        return isNamed ? .success(location) : failed(answer)
    }

    private func failed(_ answer: UploadAnswer) -> Outcome {
        if let words = answer.failures.first?.error {
            return .failure(.refused(Refusal(status: 200, words: words)))
        }
        return .failure(.invalidData(.body("the answer does not say what became of the file")))
    }

    /// No answer came, and what was sent may have arrived. A file that was to replace one of its name cannot be told from
    /// that one, and counts as not arrived.
    private func lookForArrivals(_ files: [FileToSend], _ error: DriveError) async -> [Outcome] {
        guard !overwrite, let stored = try? await api.listFiles(in: account) else {
            return files.map { _ in .failure(error) }  // the first error is the one to tell
        }
        return files.map { file in
            stored.contains(StoredFile(name: file.name, size: file.size))
                ? .success(api.location(of: file.name, in: account)) : .failure(error)
        }
    }
}

extension Refusal {
    /// Whether a batch may have been refused for one of its files, so that the others are worth sending alone.
    fileprivate var mayConcernOneFile: Bool {
        switch reason {
        case .notEnoughFunds, .staleBlockhash, .badSignature, .emptyAccount: false
        case .serverFailure, .other: [400, 409, 413, 415, 422, 500].contains(status)
        }
    }
}
