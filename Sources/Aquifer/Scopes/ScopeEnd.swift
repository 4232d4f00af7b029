import AquiferFoundation

/// The steps of a scope's end. Each can be repeated, by several processes at once, and never touches a later generation.
struct ScopeEnd {
    private let life: ScopeLife
    private var base: any CacheStore { life.base }
    private var keys: ScopeKeys { life.keys }

    init(_ life: ScopeLife) { self.life = life }

    /// The number of changes in outboxes of a generation, those of scopes inside of it included.
    func unsent(_ generation: String) async throws(StoreError) -> Int {
        Leftovers(try await base.contents(prefix: keys.generation(generation))).items
    }

    /// Deletes what the mark of an ending generation names. Does nothing when another process has finished.
    func finish(_ mark: ScopeMark) async throws(StoreError) {
        var mark = mark
        if mark.ending == .keeping {
            let left = Leftovers(try await base.contents(prefix: keys.generation(mark.generation)))
            for key in left.deleted { try await base.delete(key) }
            try await remove(mark.files, mark)
            if left.items > 0 {
                try await settle(mark) { mark in
                    mark.ending = .kept
                    mark.files = []
                }
                return
            }
            // Without an unsent change nothing is kept.
            guard let next = try await settle(mark, { $0.ending = .deleting }) else { return }
            mark = next
        }
        guard mark.ending == .deleting else { return }
        try await base.deleteAll(prefix: keys.generation(mark.generation))
        try await remove(mark.files.union(mark.attachments), mark)
        let finished = mark
        _ = try await life.changeMark { $0?.isEnd(of: finished) == true ? nil : $0 }
        try await sweep()
    }

    /// Moves unsent changes of the generation before into the living one.
    func restore(into mark: ScopeMark) async throws(StoreError) {
        guard let predecessor = mark.predecessor else { return }
        let (old, new) = (keys.generation(predecessor), keys.generation(mark.generation))
        for key in try await base.contents(prefix: old).entries.map(\.key) {
            guard let rest = ScopeKeys.rest(key, after: old), let entry = try await readable(key) else { continue }
            try await base.update(new + rest) { found throws(StoreError) in
                switch found {
                case .success(nil), .failure(.unreadable): .replace(entry)
                case .success: .keep
                case .failure(let error): throw error
                }
            }
            // A process that was stopped here goes on when the item may have been sent, and must not put it back.
            if try await life.mark()?.predecessor != predecessor {
                try await base.update(new + rest) { found throws(StoreError) in
                    try found.get() == entry ? .delete : .keep
                }
                return
            }
            try await base.delete(key)
        }
        _ = try await life.changeMark { current in
            guard var current, current.predecessor == predecessor else { return current }
            current.predecessor = nil
            return current
        }
        try await base.deleteAll(prefix: old)
    }

    /// The entry under a key; `nil` if it is missing, or damaged: nobody could send it.
    private func readable(_ key: String) async throws(StoreError) -> StoredEntry? {
        do throws(StoreError) { return try await base.retrieve(key) } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }

    /// Deletes what processes have written under generations that had ended, and were killed before they took it back.
    func sweep() async throws(StoreError) {
        let contents = try await base.contents(prefix: keys.all)
        let found = Set(
            (contents.entries.map(\.key) + contents.damaged.compactMap(\.key)).compactMap(ScopeKeys.parts)
                .map(\.generation))
        // The mark is read after the list: a generation that began later is not in the list, unless it has a mark by now.
        let mark = found.isEmpty ? nil : try await life.mark()
        for generation in found where generation != mark?.generation && generation != mark?.predecessor {
            try await base.deleteAll(prefix: keys.generation(generation))
        }
    }

    /// Changes the mark if that end is as far as it was. Another caller may have gone on to discard what this one keeps.
    @discardableResult
    private func settle(
        _ mark: ScopeMark, _ change: @Sendable (inout ScopeMark) -> Void
    ) async throws(StoreError) -> ScopeMark? {
        let next = try await life.changeMark { current in
            guard var current, current.isEnd(of: mark), current.ending == mark.ending else { return current }
            change(&current)
            return current
        }
        return next?.generation == mark.generation ? next : nil
    }

    private func remove(_ paths: Set<String>, _ mark: ScopeMark) async throws(StoreError) {
        for path in paths.sorted() {
            // The same user may have logged in again meanwhile: the files are those of the next generation then.
            guard try await life.mark()?.isEnd(of: mark) == true else { return }
            do { try FileManager.default.removeItem(atPath: path) } catch {
                if POSIX.isMissing(path, orShorterThan: 0) { continue }
                throw .failed(operation: "delete \(path)", reason: "\(error)")
            }
        }
    }
}

extension ScopeMark {
    /// True if this is the mark of the same end, as far as it was or farther.
    fileprivate func isEnd(of mark: ScopeMark) -> Bool {
        generation == mark.generation && (ending == .deleting || ending == .keeping)
    }
}

/// What is left of a generation that is to keep its unsent changes.
private struct Leftovers {
    /// The number of unsent changes, damaged ones included.
    let items: Int
    /// The keys of all entries that no outbox with an unsent change needs.
    let deleted: [String]

    init(_ contents: StoreContents) {
        let keys = contents.entries.map(\.key) + contents.damaged.compactMap(\.key)
        let places = keys.map { key in
            let at = key.utf8.lastIndex(of: UInt8(ascii: "/")).map { key.utf8.index(after: $0) } ?? key.utf8.startIndex
            return (
                key: key, folder: String(decoding: key.utf8[..<at], as: UTF8.self),
                name: String(decoding: key.utf8[at...], as: UTF8.self)
            )
        }
        let queues = Set(places.filter { OutboxShelf.isItemKey($0.name) }.map(\.folder))
        items = places.count { OutboxShelf.isItemKey($0.name) }
        deleted = places.filter { place in
            if OutboxShelf.isKey(place.name) { return !queues.contains(place.folder) }
            guard let name = ScopeKeys.rest(place.name, after: ScopeKeys.marks) else { return true }
            // The mark of a scope inside, which may have a queue.
            return !queues.contains { $0.hasBytes(place.folder + ScopeKeys.entries + name + "/") }
        }.map(\.key)
    }
}
