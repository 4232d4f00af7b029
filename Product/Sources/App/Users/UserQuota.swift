import Aquifer
import AquiferConcurrency
import Foundation

/// The bound on what one user keeps, as this process counts it: the entries of the user's scope, and the files that wait or were uploaded.
///
/// Bytes are reserved before they are written, so that many requests at once keep no more than the bound. Shared data that can be
/// loaded again is not counted. An entry that was counted once is counted until the sum reaches the bound; then it is measured anew,
/// so that nothing is refused that has room.
final class UserQuota: Sendable {
    /// A bound that no user reaches by use: 1 GiB.
    static let usual: UInt64 = 1 << 30

    /// Bytes that may be written. They are given back unless they are kept.
    final class Reservation: Sendable {
        private let quota: UserQuota
        /// A file that is being written with them, which nobody else counts.
        private let file: String?
        private let bytes = Locked<UInt64?>(0)

        fileprivate init(_ quota: UserQuota, _ file: String?) { (self.quota, self.file) = (quota, file) }

        deinit { end(isKept: false) }

        /// The bytes that are reserved.
        var reserved: UInt64 { bytes.withLock(\.self) ?? 0 }

        /// Reserves more, if there is room as far as it is known now.
        func tryAdd(_ more: UInt64) -> Bool {
            guard quota.tryReserve(more) else { return false }
            bytes.withLock { $0 = $0.map { $0 + more } }
            return true
        }

        /// Reserves more, if there is room. It is measured anew before it is refused.
        func add(_ more: UInt64) async throws(StoreError) -> Bool {
            // A count beside others who write may be too high.
            for _ in 0..<3 {
                if tryAdd(more) { return true }
                guard try await !quota.measure() else { break }
            }
            return tryAdd(more)
        }

        /// Reserves more for what is never refused.
        func addAnyway(_ more: UInt64) {
            quota.reserveAnyway(more)
            bytes.withLock { $0 = $0.map { $0 + more } }
        }

        /// Gives all back, and can be used again.
        func clear() {
            let all = bytes.withLock { bytes in
                let all = bytes
                if all != nil { bytes = 0 }
                return all ?? 0
            }
            quota.settle(all, isKept: false, file: nil)
        }

        /// The bytes are written, and stay.
        func keep() { end(isKept: true) }

        private func end(isKept: Bool) {
            guard let all = bytes.withLock({ $0.take() }) else { return }
            quota.settle(all, isKept: isKept, file: file)
        }
    }

    private struct State {
        /// No fewer bytes than are kept or reserved; `nil` before it is measured for the first time.
        var counted: UInt64?
        /// The bytes that are reserved, and perhaps not written yet.
        var pending: UInt64 = 0
        /// All bytes that were ever reserved.
        var ever: UInt64 = 0
        /// The files that are being written: their bytes are among those that are reserved.
        var files: Set<String> = []
        /// Folders elsewhere whose files are counted, too. One that does not exist yet is `nil`.
        var others: [@Sendable () -> URL?] = []
    }

    /// The bound in bytes.
    let bound: UInt64
    private let store: any CacheStore
    private let folder: URL
    private let state = Locked(State())

    init(bound: UInt64, _ store: any CacheStore, folder: URL) {
        (self.bound, self.store, self.folder) = (bound, store, folder)
    }

    /// A reservation of nothing yet.
    ///
    /// - Parameter file: the file that is being written with it, and that is not there yet.
    func reservation(for file: URL? = nil) async throws(StoreError) -> Reservation {
        if state.withLock({ $0.counted == nil }) { try await measure() }
        let path = file.map { $0.standardizedFileURL.path(percentEncoded: false) }
        if let path { state.withLock { _ = $0.files.insert(path) } }
        return Reservation(self, path)
    }

    /// Counts the files of one more folder. It gives `nil` until the folder exists.
    func count(_ folder: @escaping @Sendable () -> URL?) { state.withLock { $0.others.append(folder) } }

    /// The error of a user who has reached the bound.
    var isFull: StoreError {
        .failed(
            operation: "save it",
            reason:
                "this user may keep \(bound) bytes on this server, and they are used up; discard something that waits")
    }

    private func tryReserve(_ bytes: UInt64) -> Bool {
        state.withLock { state in
            guard let counted = state.counted, counted <= bound, bound - counted >= bytes else { return false }
            state.counted = counted + bytes
            state.pending += bytes
            state.ever &+= bytes
            return true
        }
    }

    private func reserveAnyway(_ bytes: UInt64) {
        state.withLock { state in
            state.counted = state.counted.map { $0.addingReportingOverflow(bytes).partialValue }
            state.pending += bytes
            state.ever &+= bytes
        }
    }

    private func settle(_ bytes: UInt64, isKept: Bool, file: String?) {
        state.withLock { state in
            state.pending -= bytes
            if !isKept { state.counted = state.counted.map { $0 - min(bytes, $0) } }
            if let file { state.files.remove(file) }
        }
    }

    /// Counts what is kept. Bytes that were reserved before or meanwhile are counted as well, written or not, so that the count is
    /// never too low.
    ///
    /// - Returns: true if nothing was reserved, so that the count is exact.
    @discardableResult
    private func measure() async throws(StoreError) -> Bool {
        let (pending, ever) = state.withLock { ($0.pending, $0.ever) }
        let kept = try await measured()
        return state.withLock { state in
            state.counted = kept + pending + (state.ever &- ever)
            return pending == 0 && state.ever == ever
        }
    }

    /// The bytes that are kept now, without the files that are being written.
    private func measured() async throws(StoreError) -> UInt64 {
        let entries = try await store.contents().entries.reduce(UInt64(0)) { $0 + UInt64(max(0, $1.size)) }
        return await withCheckedContinuation { continuation in
            // Files are counted beside the tasks, which are few.
            DispatchQueue.global().async { continuation.resume(returning: entries + self.bytesOfFiles()) }
        }
    }

    private func bytesOfFiles() -> UInt64 {
        let others = state.withLock { $0.others }.compactMap { $0() }
        return ([folder] + others).reduce(0) { $0 + bytes(in: $1) }
    }

    private func bytes(in folder: URL) -> UInt64 {
        let root = folder.standardizedFileURL.path(percentEncoded: false)
        let path = root.hasSuffix("/") ? String(root.dropLast()) : root
        var sum: UInt64 = 0
        for name in FileManager.default.enumerator(atPath: path) ?? .init() {
            guard let name = name as? String,
                let status = POSIX.status("\(path)/\(name)", followsLink: false), status.kind == .file,
                !state.withLock({ $0.files.contains("\(path)/\(name)") })
            else { continue }
            sum += UInt64(max(0, status.size))
        }
        return sum
    }
}
