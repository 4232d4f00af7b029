import Aquifer
import Foundation

/// How far an upload is. Every number only grows.
public struct UploadProgress: Sendable, Hashable {
    /// How many bytes of the files have gone out.
    public var sent: UInt64
    /// How many bytes the files have that can be sent.
    public var total: UInt64
    /// How many files have come to their end, well or not.
    public var filesDone: Int
    /// How many files there are.
    public var files: Int

    /// The share that has gone out, 0 … 1.
    public var fraction: Double { total == 0 ? (filesDone == files ? 1 : 0) : Double(sent) / Double(total) }
}

/// What became of one file.
public struct UploadResult: Sendable, Hashable {
    /// The file on this machine.
    public let file: URL
    /// The name it has there.
    public let name: String
    /// Where it lies, or why it does not.
    public let outcome: Result<FileLocation, DriveError>

    /// Where it lies; `nil` if it does not.
    public var location: FileLocation? { try? outcome.get() }  // the error is in `outcome`
    /// Why it does not.
    public var error: DriveError? { if case .failure(let error) = outcome { error } else { nil } }
}

/// What an upload tells on its way.
public enum UploadEvent: Sendable, Hashable {
    /// More has gone out, or a file has come to its end.
    case progress(UploadProgress)
    /// What became of a file.
    case file(UploadResult)
}

extension ShadowDriveService {
    /// Sends files, five at a time, each read from disk as it is sent.
    ///
    /// - A file that cannot be sent (too large, no good name, gone) is told before anything is, and does not stop the
    ///   others. A batch that the server refuses as a whole is sent again file by file, so that the good ones arrive.
    /// - When a batch gets no answer, the account is looked at: files that arrived are told as stored.
    /// - Cancelling the task stops the transfer; the files that were not sent then are told as cancelled.
    ///
    /// - Parameters:
    ///   - overwrite: whether files of the same names are replaced.
    ///   - onEvent: told of progress and of each file, in order, on any thread; must be quick.
    /// - Returns: what became of each file, in the order given.
    @discardableResult
    public func upload(
        _ files: [URL], to account: PublicKey, overwrite: Bool = false,
        onEvent: @escaping @Sendable (UploadEvent) -> Void = { _ in }
    ) async throws(DriveError) -> [UploadResult] {
        let keypair = try signer()
        var results: [Int: UploadResult] = [:]
        var good: [(Int, FileToSend)] = []
        var names: Set<String> = []
        for (place, url) in files.enumerated() {
            do throws(FileError) {
                let file = try FileToSend(url)
                guard names.insert(file.name).inserted else { throw .repeated(name: file.name) }
                good.append((place, file))
            } catch {
                results[place] = UploadResult(
                    file: url, name: url.lastPathComponent, outcome: .failure(.file(error)))
            }
        }
        let meter = UploadMeter(
            total: good.reduce(0) { $0 + $1.1.size }, files: files.count, tell: onEvent)
        for place in results.keys.sorted() { if let result = results[place] { meter.ended(result, size: 0) } }
        let courier = UploadCourier(
            api: api, account: account, keypair: keypair, overwrite: overwrite, meter: meter)
        var rest = good[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(ShadowDriveLimits.filesPerUpload))
            rest = rest.dropFirst(batch.count)
            let outcomes = await courier.deliver(batch.map(\.1))
            for ((place, file), outcome) in zip(batch, outcomes) {
                let result = UploadResult(file: file.url, name: file.name, outcome: outcome)
                results[place] = result
                if case .success = outcome {
                    await amendContents(account) { $0.storing(StoredFile(name: file.name, size: file.size)) }
                }
                meter.ended(result, size: file.size)
            }
        }
        return files.indices.compactMap { results[$0] }
    }

    /// The same as a stream, which ends after the last file. Leaving it stops the upload.
    ///
    /// It throws nothing: without a key, every file is told as failed.
    public func uploading(
        _ files: [URL], to account: PublicKey, overwrite: Bool = false
    ) -> AsyncStream<UploadEvent> {
        AsyncStream { continuation in
            let task = Task {
                do throws(DriveError) {
                    try await self.upload(files, to: account, overwrite: overwrite) { continuation.yield($0) }
                } catch {
                    for file in files {
                        continuation.yield(
                            .file(UploadResult(file: file, name: file.lastPathComponent, outcome: .failure(error))))
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Counts what has gone out, and tells it in an order in which nothing shrinks: within its lock, which is why whoever is
/// told must be quick.
final class UploadMeter: Sendable {
    private struct State {
        var progress: UploadProgress
        /// The bytes of the files that have come to their end.
        var settled: UInt64 = 0
    }

    private let state: Locked<State>
    private let tell: @Sendable (UploadEvent) -> Void

    init(total: UInt64, files: Int, tell: @escaping @Sendable (UploadEvent) -> Void) {
        state = Locked(State(progress: UploadProgress(sent: 0, total: total, filesDone: 0, files: files)))
        self.tell = tell
    }

    /// So much of a body has gone out, in which the files have `size` bytes.
    func sent(_ sent: UInt64, of length: UInt64, size: UInt64) {
        state.withLock { state in
            // The fields around the files are not counted.
            let share = length == 0 ? 0 : UInt64(Double(size) * (Double(min(sent, length)) / Double(length)))
            let now = min(state.settled + share, state.progress.total)
            // A step is a thousandth: more often nobody can see it, and who watches has other things to do.
            guard now > state.progress.sent, now - state.progress.sent >= state.progress.total / 1000 else { return }
            state.progress.sent = now
            tell(.progress(state.progress))
        }
    }

    /// A file has come to its end.
    func ended(_ result: UploadResult, size: UInt64) {
        state.withLock { state in
            state.settled += size
            state.progress.filesDone += 1
            // What failed counts as dealt with: the bar comes to its end.
            state.progress.sent = max(state.progress.sent, min(state.settled, state.progress.total))
            tell(.file(result))
            tell(.progress(state.progress))
        }
    }
}
