import AquiferFoundation

/// Listing and removing damaged downloads.
extension Downloads {
    /// The downloads whose record, journal or pin cannot be read, in no particular order. ``list()`` leaves them out.
    ///
    /// The data is not read: ``validate()`` does that. ``DamagedEntry/place`` is the name in the folder.
    public func damaged() async throws(StoreError) -> [DamagedEntry] {
        try await queue.run { [setting] () throws(StoreError) in
            var damaged: [DamagedEntry] = []
            for name in try setting.folder.names() {
                if let damage = try setting.folder.damage(name) { damaged.append(damage) }
            }
            return damaged
        }
    }

    /// Reads every byte of a complete file, of any age, and removes nothing. Does nothing if there is no such file.
    ///
    /// - Throws: ``StoreError/unreadable(key:reason:)`` when it is damaged.
    public func verify(_ url: URL) async throws(StoreError) {
        let file = try await queue.run { [setting] () throws(StoreError) in try setting.folder.whole(url) }
        guard let file else { return }
        // The copy has no handler that deletes a damaged file, because verifying deletes nothing.
        let copy = DownloadedFile(
            url: file.url, path: file.location.path, data: file.data, record: file.record, length: file.length
        ) {}
        try await copy.verify()
    }

    /// Removes a damaged download, except for its pin if that can be read. Does nothing when the download is no longer
    /// damaged.
    ///
    /// - Throws: ``StoreError/busy(path:)`` when another process transfers it.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        try await queue.run { [setting] () throws(StoreError) in
            guard try setting.folder.names().contains(damaged.place) else { return }
            let lock = try setting.folder.lock(damaged.place)
            if try setting.folder.damage(damaged.place) != nil {
                try setting.folder.remove(damaged.place, pin: try setting.folder.pin(damaged.place) == nil)
            }
            withExtendedLifetime(lock) {}
        }
    }
}

extension DownloadFolder {
    /// The URL that a pin names; `nil` if there is no pin, or it does not name this download's URL.
    fileprivate func pin(_ name: String) throws(StoreError) -> String? {
        guard let bytes = try contents(path(name, .pin), upTo: Self.mostBytes) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return Self.name(of: text) == name ? text : nil
    }

    /// The damage of a download; `nil` if there is none.
    ///
    /// - Throws: a failure of the system, which is no damage of the download.
    func damage(_ name: String) throws(StoreError) -> DamagedEntry? {
        var key = try pin(name)
        var reason: String?
        if key == nil && isPinned(name) { reason = "its pin cannot be read" }
        for suffix in [Suffix.part, .info] {
            do throws(StoreError) {
                guard let record = try record(name, suffix) else { continue }
                if Self.name(of: record.url) == name { key = key ?? record.url } else { reason = "it is another URL's" }
            } catch {
                switch error {
                case .unreadable(_, let why): reason = why
                case .notAStore: reason = "something that is no file lies in its place"
                default: throw error
                }
            }
        }
        return reason.map { DamagedEntry(key: key, place: name, reason: $0) }
    }
}
