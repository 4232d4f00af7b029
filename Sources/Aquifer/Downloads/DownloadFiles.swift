import AquiferFoundation

/// The files of one download: the complete one, the partial one, and the lock that one process at a time holds.
///
/// Disk operations run on a queue of its own.
struct DownloadFiles: Sendable {
    private let setting: DownloadSetting
    private let url: URL
    private let key: String
    private let name: String
    private let queue = SerialQueue("aquifer.download")

    init(_ url: URL, _ setting: DownloadSetting) {
        self.setting = setting
        self.url = url
        key = url.absoluteString
        name = DownloadFolder.name(of: key)
    }

    // MARK: The complete file

    /// The complete file, of any age; `nil` if it is damaged, because the transfer replaces it.
    func saved() async throws(DownloadError) -> DownloadedFile? {
        do throws(StoreError) { return try await queue.run(whole) } catch {
            guard case .unreadable = error else { throw .store(error) }
            return nil
        }
    }

    /// Records that the complete file was used.
    func deliver(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        // A failure to record the use affects only when the file is evicted, not its delivery.
        try? await disk { () throws(StoreError) in try setting.folder.touch(name, setting.now()) }
        return file
    }

    /// Replaces the record of the complete file.
    func renew(_ record: DownloadRecord) async throws(DownloadError) -> DownloadedFile {
        let (bytes, _) = record.encoded(isWhole: true)
        try await disk { () throws(StoreError) in
            try setting.folder.put(
                bytes, at: setting.folder.path(name, .info), isFlushed: setting.durability == .power)
        }
        return try await reopened()
    }

    /// Flushes a delivered download to the device, so that it survives a loss of power too.
    func flush(_ file: DownloadedFile) async {
        await queue.run {
            // The file was delivered already. If the device fails, its checksums reveal the damage when it is read.
            try? setting.folder.flush(file)
        }
    }

    private func whole() throws(StoreError) -> DownloadedFile? { try setting.folder.whole(url) }

    /// The complete file after a commit.
    func reopened() async throws(DownloadError) -> DownloadedFile {
        let file = try await disk(whole)
        guard let file else { throw .store(.failed(operation: "open \(name)", reason: "it was removed meanwhile")) }
        return try await deliver(file)
    }

    // MARK: The partial file

    /// The partial file of an earlier transfer, if it can be resumed. Any other leftover is deleted.
    func leftover() async throws(DownloadError) -> PartialFile? {
        try await disk { () throws(StoreError) -> PartialFile? in
            let whole = try setting.folder.readable(name, .info)?.generation
            let growing = try setting.folder.readable(name, .part)?.generation
            // Equal generations mean that the process was killed after the file became complete and before its journal
            // was deleted: the data file no longer belongs to this journal.
            if growing != whole, let part = try PartialFile(resuming: setting.folder, name, url: key) { return part }
            try setting.folder.removePart(name)
            return nil
        }
    }

    /// Begins a partial file at its first byte, for the answer with this head.
    func begin(_ head: HTTPResponseHead, _ total: Int?, tag: String?) async throws(DownloadError) -> PartialFile {
        let (validators, stamp) = (Validators(head), setting.now())
        var fields = head.headers.fields.filter { $0.name.lowercased() != "set-cookie" }
        let place = head.url.absoluteString
        if place != key { fields.append(HTTPHeaders.Field(DownloadRecord.place, place)) }
        return try await disk { [fields] () throws(StoreError) in
            let record = DownloadRecord(
                url: key, generation: try setting.folder.freshGeneration(name), validators: validators, resumeTag: tag,
                mediaType: head.mediaType, fields: fields, total: total, stamp: stamp)
            return try PartialFile(setting.folder, name, record)
        }
    }

    /// Writes a chunk behind the bytes of a partial file.
    func append(_ chunk: Data, to part: PartialFile) async throws(DownloadError) {
        try await disk { () throws(StoreError) in try part.append(chunk) }
    }

    /// The first bytes of a partial file.
    func start(of part: PartialFile) async throws(DownloadError) -> Data {
        try await disk { () throws(StoreError) in try part.blocks.read(at: 0) }
    }

    /// Puts a partial file that is whole in place.
    func commit(_ part: PartialFile) async throws(DownloadError) {
        try await disk { () throws(StoreError) in try part.commit(isFlushed: setting.durability == .power) }
    }

    /// Deletes the partial file.
    func drop() async throws(DownloadError) {
        try await disk { () throws(StoreError) in try setting.folder.removePart(name) }
    }

    // MARK: The lock

    /// Waits for a process that transfers the same download, as long as that download makes progress.
    ///
    /// - Parameter follow: called with the progress of the other process.
    func lock(follow: (DownloadProgress) -> Void) async throws(DownloadError) -> POSIX.File {
        var waited = Duration.zero
        var last = -1
        while true {
            let lock = try await disk { () throws(StoreError) in try setting.folder.tryLock(name) }
            if let lock { return lock }
            let pause = Duration.milliseconds(50)
            if let growth = await queue.run({ setting.folder.growth(name) }) {
                follow(DownloadProgress(received: growth.received, total: growth.total))
                if growth.received != last { waited = .zero }
                last = growth.received
            }
            guard waited < setting.patience else { throw .store(.busy(path: setting.folder.path(name, .lock))) }
            // Sleeping throws only when the task was cancelled.
            do { try await setting.clock.pause(for: pause) } catch { throw .cancelled }
            waited += pause
        }
    }

    /// Ends an unfinished transfer, and removes an empty lock file.
    func leaveInOrder(_ part: PartialFile?) async {
        await queue.run {
            // The caller receives the outcome of the transfer. Bytes that cannot be written here are fetched again.
            try? part?.stop()
            try? setting.folder.tidy(name)  // as above; an empty lock file harms no one
        }
    }

    private func disk<Value: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Value
    ) async throws(DownloadError) -> Value {
        do throws(StoreError) { return try await queue.run(body) } catch { throw .store(error) }
    }
}
