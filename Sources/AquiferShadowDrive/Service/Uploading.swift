import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// The progress of an upload. No number ever decreases.
public struct UploadProgress: Sendable, Hashable {
    /// The number of bytes of the files that were sent. A file that failed counts as sent.
    public var sent: UInt64
    /// The total size in bytes of the files that can be sent.
    public var total: UInt64
    /// The number of files that have finished, successfully or not.
    public var filesDone: Int
    /// The number of files.
    public var files: Int

    /// The share of the bytes that was sent, from 0 to 1.
    public var fraction: Double { total == 0 ? (filesDone == files ? 1 : 0) : Double(sent) / Double(total) }
}

/// The outcome of one file.
public struct UploadResult: Sendable, Hashable {
    /// The file on this machine.
    public let file: URL
    /// The file's name in the storage account.
    public let name: String
    /// The address of the stored file, or the error.
    public let outcome: Result<FileLocation, DriveError>

    /// The address of the stored file; `nil` if it was not stored.
    public var location: FileLocation? { try? outcome.get() }  // the error is in `outcome`
    /// The error; `nil` if the file was stored.
    public var error: DriveError? { if case .failure(let error) = outcome { error } else { nil } }
}

/// An event of an upload.
public enum UploadEvent: Sendable, Hashable {
    /// More bytes were sent, or a file has finished.
    case progress(UploadProgress)
    /// A file has finished with this outcome.
    case file(UploadResult)
}

extension ShadowDriveService {
    /// Sends files, five at a time. Each file is read from disk as it is sent.
    ///
    /// - A file that cannot be sent (too large, invalid name, missing) is reported before anything is sent, and does
    ///   not stop the others. If the server refuses a batch because of one file, the batch is sent again file by file,
    ///   so that the valid files arrive.
    /// - A file whose name is already stored is reported as ``FileError/exists(name:)`` and not sent, unless
    ///   `overwrite` is true or its name is in `replacing`.
    /// - If a batch gets no response, the account is listed, and files that arrived are reported as stored.
    /// - Cancelling the task stops the transfer. The files that were not sent by then are reported as cancelled.
    ///
    /// - Parameters:
    ///   - files: the files on disk.
    ///   - account: the account that gets them.
    ///   - overwrite: true if files of the same names are replaced.
    ///   - replacing: the names of the files that may be replaced, if not all of them may. The other files travel in
    ///     requests of their own.
    ///   - room: the storage that is left, if it is known. A file that does not fit into it is reported as
    ///     ``FileError/noRoom(name:free:)`` and not sent. Without it, the server judges each file on arrival.
    ///   - onEvent: called with the progress and with each file's outcome, in order, on any thread. It must return
    ///     quickly.
    /// - Returns: the outcome of each file, in the given order.
    @discardableResult
    public func upload(
        _ files: [URL], to account: PublicKey, overwrite: Bool = false, replacing: Set<String> = [],
        room: UploadRoom? = nil, onEvent: @escaping @Sendable (UploadEvent) -> Void = { _ in }
    ) async throws(DriveError) -> [UploadResult] {
        let keypair = try signer()
        var results: [Int: UploadResult] = [:]
        var good: [(Int, FileToSend)] = []
        var names: Set<Data> = []
        var room = room
        // A file that is sent has the composed form of its name.
        let replaced = Set(replacing.map { Data($0.composed.utf8) })
        let stored = overwrite || files.isEmpty ? nil : await storedNames(account)
        for (place, url) in files.enumerated() {
            do throws(FileError) {
                let file = try FileToSend(url)
                let name = Data(file.name.utf8)
                guard names.insert(name).inserted else { throw .repeated(name: file.name) }
                guard stored?.contains(name) != true || replaced.contains(name) else { throw .exists(name: file.name) }
                try room?.take(file.size, for: file.name)
                good.append((place, file))
            } catch {
                results[place] = UploadResult(
                    file: url, name: url.lastPathComponent, outcome: .failure(.file(error)))
            }
        }
        if let room { Self.tellRoom(room, in: &results) }
        let meter = UploadMeter(
            total: good.reduce(0) { $0 + $1.1.size }, files: files.count, tell: onEvent)
        for place in results.keys.sorted() { if let result = results[place] { meter.ended(result, size: 0) } }
        // A request replaces all of its files or none. Those that replace others go first, because they may make room.
        for isReplacing in [true, false] {
            let courier = UploadCourier(
                api: api, account: account, keypair: keypair, overwrite: isReplacing,
                areNew: stored != nil && !isReplacing, meter: meter)
            let part = good.filter { (overwrite || replaced.contains(Data($0.1.name.utf8))) == isReplacing }
            let sent = await deliver(part, to: account, by: courier)
            results.merge(sent) { _, new in new }
        }
        return files.indices.compactMap { results[$0] }
    }

    /// Sends files in batches. The result has the outcome of each file by its place.
    private func deliver(
        _ files: [(Int, FileToSend)], to account: PublicKey, by courier: UploadCourier
    ) async -> [Int: UploadResult] {
        var results: [Int: UploadResult] = [:]
        var rest = files[...]
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
                courier.meter.ended(result, size: file.size)
            }
        }
        return results
    }

    /// Tells of the files that do not fit how much is free beside those that do. When their turn came, it was more.
    private static func tellRoom(_ room: UploadRoom, in results: inout [Int: UploadResult]) {
        for (place, result) in results {
            guard case .file(.noRoom(let name, _))? = result.error else { continue }
            results[place] = UploadResult(
                file: result.file, name: result.name,
                outcome: .failure(.file(.noRoom(name: name, free: room.free))))
        }
    }

    /// The names of the stored files, byte for byte; `nil` if the list cannot be loaded. The server then checks the
    /// names on arrival. An account without files has no list either, and cannot be distinguished from a server that
    /// failed.
    private func storedNames(_ account: PublicKey) async -> Set<Data>? {
        (try? await api.listObjects(in: account)).map { Set($0.map { Data($0.utf8) }) }  // see above
    }

    /// Sends files and returns the events as a stream, which ends after the last file. Ending the iteration stops the
    /// upload.
    ///
    /// It does not throw. Without a key, every file is reported as failed.
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

/// Counts the sent bytes and reports them, so that no reported number decreases. The handler runs within the lock, so
/// it must return quickly.
final class UploadMeter: Sendable {
    private struct State {
        var progress: UploadProgress
        /// The bytes of the files that have finished.
        var settled: UInt64 = 0
    }

    private let state: Locked<State>
    private let tell: @Sendable (UploadEvent) -> Void

    init(total: UInt64, files: Int, tell: @escaping @Sendable (UploadEvent) -> Void) {
        state = Locked(State(progress: UploadProgress(sent: 0, total: total, filesDone: 0, files: files)))
        self.tell = tell
    }

    /// Counts the sent bytes of a request body. `size` is the number of the body's bytes that belong to files.
    func sent(_ sent: UInt64, of length: UInt64, size: UInt64) {
        state.withLock { state in
            // The form fields around the files are not counted.
            let share = length == 0 ? 0 : UInt64(Double(size) * (Double(min(sent, length)) / Double(length)))
            let now = min(state.settled + share, state.progress.total)
            // Progress is reported in steps of at least a thousandth. Smaller steps are not visible and cost time.
            guard now > state.progress.sent, now - state.progress.sent >= state.progress.total / 1000 else { return }
            state.progress.sent = now
            tell(.progress(state.progress))
        }
    }

    /// Counts a file that has finished.
    func ended(_ result: UploadResult, size: UInt64) {
        state.withLock { state in
            state.settled += size
            state.progress.filesDone += 1
            // A failed file counts as sent, so that the progress bar reaches its end.
            state.progress.sent = max(state.progress.sent, min(state.settled, state.progress.total))
            tell(.file(result))
            tell(.progress(state.progress))
        }
    }
}
