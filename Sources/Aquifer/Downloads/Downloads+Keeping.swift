import AquiferFoundation

/// The summary of one download in a list.
public struct DownloadSummary: Sendable, Hashable {
    /// The URL of the data.
    public var url: URL
    /// The progress of the download; approximate while a transfer is under way.
    public var progress: DownloadProgress
    /// True if the file is complete.
    public var isWhole: Bool
    /// True if the download is kept until it is unpinned or deleted.
    public var isPinned: Bool
    /// The date when a server last confirmed the download; `nil` if there is only a pin.
    public var savedAt: Date?
    /// The date when the download was last delivered, or last made progress.
    public var usedAt: Date?
    /// The media type that the server announced.
    public var mediaType: String?
}

extension Downloads {
    /// The file of a URL if it is on disk, complete and fresh. Sends no request.
    ///
    /// - Throws: ``StoreError/unreadable(key:reason:)`` when the file is damaged: the next download replaces it.
    public func saved(_ url: URL) async throws(StoreError) -> DownloadedFile? {
        try await queue.run { [setting] () throws(StoreError) in
            guard let file = try setting.fresh(url) else { return nil }
            // A failure to record the use affects only when the file is evicted, not its delivery.
            try? setting.folder.touch(DownloadFolder.name(of: url.absoluteString), setting.now())
            return file
        }
    }

    /// Keeps a URL's download, present or future, from being evicted until ``unpin(_:)`` or ``delete(_:)``. A pinned
    /// download does not count towards the bound. It expires like any other.
    ///
    /// - Throws: ``StoreError`` when the folder cannot be written.
    public func pin(_ url: URL) async throws(StoreError) {
        let key = url.absoluteString
        let path = setting.folder.path(DownloadFolder.name(of: key), .pin)
        try await queue.run { [setting] () throws(StoreError) in
            try setting.folder.put(Data(key.utf8), at: path, isFlushed: true)
        }
    }

    /// Lets a URL's download be evicted again. Does nothing if it is not pinned.
    ///
    /// - Throws: ``StoreError`` when the folder cannot be written.
    public func unpin(_ url: URL) async throws(StoreError) {
        let name = DownloadFolder.name(of: url.absoluteString)
        try await queue.run { [setting] () throws(StoreError) in
            _ = try POSIX.remove(setting.folder.path(name, .pin))
            if let lock = try setting.folder.tryLock(name) {
                try setting.folder.tidy(name)
                withExtendedLifetime(lock) {}
            }
        }
        await evict()
    }

    /// All downloads, complete or not, and all pins, in no particular order. Unreadable ones are left out.
    ///
    /// - Throws: ``StoreError`` when the folder cannot be read.
    public func list() async throws(StoreError) -> [DownloadSummary] {
        try await queue.run { [setting] () throws(StoreError) in
            try setting.folder.names().compactMap { setting.folder.summary($0) }
        }
    }

    /// Deletes everything of a URL: its file, its partial file, and its pin. A transfer under way in this process ends
    /// with `.cancelled`.
    ///
    /// - Throws: ``StoreError/busy(path:)`` when another process transfers it.
    public func delete(_ url: URL) async throws(StoreError) {
        await stop(url)
        let name = DownloadFolder.name(of: url.absoluteString)
        try await queue.run { [setting] () throws(StoreError) in
            let lock = try setting.folder.lock(name)
            try setting.folder.remove(name, pin: true)
            withExtendedLifetime(lock) {}
        }
    }

    /// Deletes expired and damaged files and keeps the others. Pins stay. Reads every byte.
    ///
    /// - Returns: the URLs of the deleted files, as far as they are known.
    /// - Throws: ``StoreError`` at the first file that the system cannot read: a failure of the system is no damage. Files that were deleted before stay deleted.
    @discardableResult
    public func validate() async throws(StoreError) -> [URL] {
        var removed: [URL] = []
        for name in try await queue.run({ [setting] () throws(StoreError) in try setting.folder.names() }) {
            let (isGood, url) = try await look(name)
            guard !isGood, await remove(name, pin: false) else { continue }
            if let url { removed.append(url) }
        }
        return removed
    }

    /// Deletes the least recently used downloads until the others are within the bound. Downloads under way stay.
    ///
    /// A failed removal does not fail the download that caused it: the next download tries again.
    func evict() async {
        guard let all = try? await list() else { return }  // as above
        let evictable = all.filter { !$0.isPinned }.sorted {
            ($0.usedAt ?? .distantPast) < ($1.usedAt ?? .distantPast)
        }
        var total = evictable.reduce(0) { $0 + $1.progress.received }
        for victim in evictable where total > bound {
            if await remove(DownloadFolder.name(of: victim.url.absoluteString), pin: false, unlessPinned: true) {
                total -= victim.progress.received
            }
        }
    }

    /// Checks whether a complete download is undamaged and not expired. Partial files are checked when they resume.
    private func look(_ name: String) async throws(StoreError) -> (isGood: Bool, url: URL?) {
        let (url, damage) = try await queue.run { [setting] () throws(StoreError) in
            (setting.folder.summary(name)?.url, try setting.folder.damage(name))
        }
        // A download without a URL and without damage was deleted meanwhile.
        guard let url else { return (damage == nil, nil) }
        do throws(StoreError) {
            let file = try await queue.run { [setting] () throws(StoreError) in try setting.folder.whole(url) }
            guard let file else { return (true, url) }
            if setting.policy.isExpired(file.savedAt, at: setting.now()) { return (false, url) }
            try await file.verify()
            return (true, url)
        } catch {
            guard case .unreadable = error else { throw error }
            return (false, url)
        }
    }

    /// Deletes a download. False if it is under way, in this process or another, or could not be deleted.
    private func remove(_ name: String, pin: Bool, unlessPinned: Bool = false) async -> Bool {
        await queue.run { [setting] in
            do throws(StoreError) {
                guard let lock = try setting.folder.tryLock(name) else { return false }
                defer { withExtendedLifetime(lock) {} }
                if unlessPinned, setting.folder.isPinned(name) { return false }
                try setting.folder.remove(name, pin: pin)
                return true
            } catch {
                return false
            }
        }
    }
}

extension DownloadFolder {
    /// The summary of the download under a name; `nil` if it cannot be read.
    fileprivate func summary(_ name: String) -> DownloadSummary? {
        // Lists leave unreadable downloads out, and do not delete them.
        let whole = try? record(name, .info)
        let growing = whole == nil ? try? record(name, .part) : nil  // as above
        let bytes = try? contents(path(name, .pin), upTo: Self.mostBytes)  // as above
        let pin = bytes.map { String(decoding: $0, as: UTF8.self) }
        guard let text = whole?.url ?? growing?.url ?? pin, Self.name(of: text) == name, let url = URL(string: text)
        else { return nil }
        let received = whole?.total ?? self.growth(name)?.received ?? 0
        let stamp = whole?.stamp ?? growing?.stamp
        return DownloadSummary(
            url: url, progress: DownloadProgress(received: received, total: whole?.total ?? growing?.total),
            isWhole: whole != nil, isPinned: pin != nil, savedAt: stamp,
            usedAt: (try? used(name)) ?? stamp,  // as above
            mediaType: whole?.mediaType ?? growing?.mediaType)
    }
}
