import Foundation

/// What a list of downloads says of one.
public struct DownloadSummary: Sendable, Hashable {
    /// What was, or is to be, downloaded.
    public var url: URL
    /// How much of it is there. Of one that is under way: roughly.
    public var progress: DownloadProgress
    /// Whether all of it is there.
    public var isWhole: Bool
    /// Whether it is kept until it is unpinned or deleted.
    public var isPinned: Bool
    /// When a server last confirmed it; `nil` if nothing is there but a pin.
    public var savedAt: Date?
    /// When it was last delivered, or last came on.
    public var usedAt: Date?
    /// Its media type as the server said.
    public var mediaType: String?
}

extension Downloads {
    /// The file of a URL if it is there, whole and fresh. Asks no remote.
    ///
    /// - Throws: ``StoreError/unreadable(key:reason:)`` when it is there and damaged: the next download replaces it.
    public func saved(_ url: URL) async throws(StoreError) -> DownloadedFile? {
        try await queue.run { [setting] () throws(StoreError) in
            guard let file = try setting.folder.whole(url),
                setting.policy.isFresh(file.savedAt, at: setting.now())
            else { return nil }
            // Whether its use could be noted decides when it is evicted, not whether it can be delivered.
            try? setting.folder.touch(DownloadFolder.name(of: url.absoluteString), setting.now())
            return file
        }
    }

    /// Keeps a URL's download, there or still to come, from being evicted: until ``unpin(_:)`` or ``delete(_:)``. It
    /// counts towards no bound. It expires like any other.
    public func pin(_ url: URL) async throws(StoreError) {
        let key = url.absoluteString
        let path = setting.folder.path(DownloadFolder.name(of: key), .pin)
        try await queue.run { [setting] () throws(StoreError) in try setting.folder.put(Data(key.utf8), at: path) }
    }

    /// Lets a URL's download be evicted again. Does nothing if it is not pinned.
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

    /// All that is there, whole or not, and all pins, in no particular order. What cannot be read is left out.
    public func list() async throws(StoreError) -> [DownloadSummary] {
        try await queue.run { [setting] () throws(StoreError) in
            try setting.folder.names().compactMap { setting.folder.summary($0) }
        }
    }

    /// Leaves nothing of a URL: no file, no part, no pin. A transfer under way in this process ends with `.cancelled`.
    ///
    /// - Throws: ``StoreError/busy(path:)`` when another process has it under way.
    public func delete(_ url: URL) async throws(StoreError) {
        await stop(url)
        let name = DownloadFolder.name(of: url.absoluteString)
        try await queue.run { [setting] () throws(StoreError) in
            let lock = try setting.folder.lock(name)
            try setting.folder.remove(name, pin: true)
            withExtendedLifetime(lock) {}
        }
    }

    /// Removes what has expired and what is damaged, and keeps the rest; pins stay. Reads every byte.
    ///
    /// - Returns: the URLs whose files were removed, as far as they can be told.
    @discardableResult
    public func validate() async throws(StoreError) -> [URL] {
        var removed: [URL] = []
        for name in try await queue.run({ [setting] () throws(StoreError) in try setting.folder.names() }) {
            let (isGood, url) = await look(name)
            guard !isGood, await remove(name, pin: false) else { continue }
            if let url { removed.append(url) }
        }
        return removed
    }

    /// Removes what was used least recently until the rest is within the bound. What is under way stays.
    ///
    /// A removal that fails does not fail the download that caused it: it is tried again after the next one.
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

    /// Whether what is whole is fresh and undamaged. Parts are judged when they are gone on with.
    private func look(_ name: String) async -> (isGood: Bool, url: URL?) {
        let url = await queue.run { [setting] in setting.folder.summary(name)?.url }
        guard let url else { return (false, nil) }
        do throws(StoreError) {
            let file = try await queue.run { [setting] () throws(StoreError) in try setting.folder.whole(url) }
            guard let file else { return (true, url) }
            guard setting.policy.isFresh(file.savedAt, at: setting.now()) else { return (false, url) }
            try await file.verify()
            return (true, url)
        } catch {
            return (false, url)
        }
    }

    /// False if it is under way, here or elsewhere, or could not be removed.
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
    /// What is there under a name; `nil` if that cannot be read.
    fileprivate func summary(_ name: String) -> DownloadSummary? {
        // What cannot be read is left out, and stays where it is: that is the promise of lists.
        let whole = try? record(name, .info)
        let growing = whole == nil ? try? record(name, .part) : nil  // as above
        let pin = try? contents(path(name, .pin)).map { String(decoding: $0, as: UTF8.self) }  // as above
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
