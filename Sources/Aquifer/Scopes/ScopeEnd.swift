import AquiferConcurrency
import AquiferFoundation

/// The steps of a scope's end. Each can be repeated, by several processes at once, and never touches a later generation.
struct ScopeEnd {
    private let life: ScopeLife
    private var base: any CacheStore { life.base }
    private var keys: ScopeKeys { life.keys }

    init(_ life: ScopeLife) { self.life = life }

    /// The number of changes in outboxes of a generation, those of scopes inside of it included.
    func unsent(_ generation: String) async throws(StoreError) -> Int {
        try await leftovers(generation).items
    }

    /// What is left of a generation. Call it when the moving into that generation is over.
    private func leftovers(_ generation: String) async throws(StoreError) -> Leftovers {
        var contents = try await base.contents(prefix: keys.generation(generation))
        let places = try await deletePlaces(among: contents.entries)
        contents.entries.removeAll { places.contains($0.key) }
        return Leftovers(contents)
    }

    /// Deletes what the mark of an ending generation names. Does nothing when another process has finished.
    func finish(_ mark: ScopeMark) async throws(StoreError) {
        var mark = mark
        if mark.ending == .keeping {
            let left = try await leftovers(mark.generation)
            guard let next = try await adopt(keeping: left, mark), next.ending == .keeping else { return }
            mark = next
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
        guard mark.ending == .deleting, let next = try await adopt(keeping: nil, mark) else { return }
        mark = next
        try await base.deleteAll(prefix: keys.generation(mark.generation))
        try await remove(mark.files.union(mark.attachments), mark)
        let finished = mark
        _ = try await life.changeMark { $0?.isEnd(of: finished) == true ? nil : $0 }
        try await sweep()
    }

    /// Adds the files of the scopes inside to the mark, before nobody knows of them any more.
    ///
    /// - Parameter left: what stays of the generation; `nil` if nothing does.
    /// - Returns: the mark with them; `nil` when another process has finished.
    private func adopt(keeping left: Leftovers?, _ mark: ScopeMark) async throws(StoreError) -> ScopeMark? {
        let own = keys.generation(mark.generation)
        var files: Set<StoreKey> = []
        for key in try await base.contents(prefix: own + ScopeKeys.common).entries.map(\.key) {
            guard let rest = key.rest(after: own), ScopeKeys.isMark(rest),
                let entry = try await readable(key),  // A damaged mark names nothing.
                let inner = try? ScopeMark(entry, key)
            else { continue }
            files.formUnion(inner.files)
            if left?.deleted.contains(key) ?? true { files.formUnion(inner.attachments) }
        }
        if files.isSubset(of: mark.files) { return mark }
        return try await settle(mark) { [files] in $0.files.formUnion(files) }
    }

    /// Moves unsent changes of the generation before into the living one. However many processes do it, and wherever they
    /// are stopped, each change is there once.
    func restore(into mark: ScopeMark) async throws(StoreError) {
        guard let predecessor = mark.predecessor else { return }
        let (old, new) = (keys.generation(predecessor), keys.generation(mark.generation))
        let contents = try await base.contents(prefix: old)
        for key in contents.entries.map(\.key) + contents.damaged.compactMap(\.key) {
            guard let rest = key.rest(after: old), let entry = try await readable(key, else: Self.damaged) else {
                continue
            }
            guard try await move(entry, to: new + rest, from: predecessor) else { return }
            try await base.delete(key)
        }
        _ = try await life.changeMark { current in
            guard var current, current.predecessor == predecessor else { return current }
            current.predecessor = nil
            return current
        }
        try await base.deleteAll(prefix: old)
    }

    /// Writes an entry in the living generation, unless it is there.
    ///
    /// A process that was stopped may go on when the change has been sent and deleted, and must not put it back. So the place is
    /// taken first. Only its taker fills it, and only if the moving was not over after that.
    ///
    /// - Returns: false if the moving is over.
    private func move(
        _ entry: StoredEntry, to key: String, from predecessor: String
    ) async throws(StoreError) -> Bool {
        for _ in 0..<100 {
            let place = StoredEntry(
                bytes: Data(life.newGeneration().utf8), savedAt: entry.savedAt,
                validators: Validators(lastModified: Self.place))
            let isTaken = try await base.decide(key) { found throws(StoreError) -> (EntryChange, Bool) in
                switch found {
                case .success(let other?) where other.validators.lastModified != Self.place: return (.keep, false)
                case .success, .failure(.unreadable): return (.replace(place), true)
                case .failure(let error): throw error
                }
            }
            let isOver = try await life.mark()?.predecessor != predecessor
            if !isTaken { return !isOver }
            let isMine = try await base.decide(key) { found throws(StoreError) -> (EntryChange, Bool) in
                guard try found.get() == place else { return (.keep, false) }
                return (isOver ? .delete : .replace(entry), true)
            }
            if isOver || isMine { return !isOver }
            // Another process has taken the place meanwhile.
        }
        throw .busy(path: "the scope \(life.name)")
    }

    /// The validator of an entry whose place is taken. No item, file of an item, counter or mark has it.
    private static let place = "place"

    /// Deletes the places that nobody will fill: those of processes that were killed when they had taken them, and when the moving
    /// was over. They look like damaged items.
    ///
    /// - Returns: their keys.
    private func deletePlaces(among entries: [StoredEntry.Summary]) async throws(StoreError) -> Set<String> {
        var deleted: Set<String> = []
        for key in entries.filter({ $0.validators.lastModified == Self.place }).map(\.key) {
            let name = key.split(separator: "/").last.map(String.init) ?? key
            guard Outbox.hasEntry(name) || name.hasBytes(ScopeKeys.marks) else { continue }
            let isPlace = try await base.decide(key) { found throws(StoreError) -> (EntryChange, Bool) in
                guard case .success(let entry?) = found, entry.validators.lastModified == Self.place else {
                    return (.keep, false)
                }
                return (.delete, true)
            }
            if isPlace { deleted.insert(key) }
        }
        return deleted
    }

    /// Takes the place of what is damaged and is moved: nobody can decode it, so that it stays damaged.
    private static let damaged = StoredEntry(
        bytes: Data("damaged".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 0))

    /// The entry under a key; `nil` if it is missing, and `other` if it is damaged.
    private func readable(_ key: String, else other: StoredEntry? = nil) async throws(StoreError) -> StoredEntry? {
        do throws(StoreError) { return try await base.retrieve(key) } catch {
            guard case .unreadable = error else { throw error }
            return other
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
        guard let mark, mark.predecessor == nil else { return }
        let living = keys.generation(mark.generation)
        _ = try await deletePlaces(among: contents.entries.filter { $0.key.hasBytes(living) })
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

    private func remove(_ paths: Set<StoreKey>, _ mark: ScopeMark) async throws(StoreError) {
        for path in paths.map(\.text).sorted() {
            // The same user may have logged in again meanwhile: the files are those of the next generation then.
            guard try await life.mark()?.isEnd(of: mark) == true else { return }
            // Whoever still writes into a folder must not find it: it would never be empty. A killed process may have left it aside.
            let aside = "\(path).ended-\(mark.generation)"
            try delete(aside)
            // What cannot be moved, as with a name that is too long then, is deleted where it is.
            let isAside = (try? POSIX.replace(aside, with: path)) != nil
            let isInPlace = !isAside && !POSIX.isMissing(path, orShorterThan: 0)
            // This process may have been stopped since it looked. Whoever finishes the end deletes what is aside: what was moved after
            // that belongs to the next generation.
            let now: ScopeMark?
            do throws(StoreError) { now = try await life.mark() } catch {
                if isAside { try putBack(aside, path) }
                throw error
            }
            if let now, now.generation != mark.generation {
                if isAside { try putBack(aside, path) }
                return
            }
            try delete(aside)
            if isInPlace, now?.isEnd(of: mark) == true { try delete(path) }
        }
    }
}

extension ScopeEnd {
    /// Puts a file or folder back, unless its place is taken.
    private func putBack(_ aside: String, _ path: String) throws(StoreError) {
        guard POSIX.exists(aside) else { return }
        switch POSIX.link(aside, as: path) {
        case .done: try delete(aside)
        // A folder, which replaces an empty one at most.
        case .refused where !POSIX.exists(path): try POSIX.replace(path, with: aside)
        case .taken, .refused:
            throw .failed(
                operation: "delete \(path)", reason: "its user has logged in again; what was there is now \(aside)")
        }
    }

    private func delete(_ path: String) throws(StoreError) {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            if POSIX.isMissing(path, orShorterThan: 0) || POSIX.isImpossible(path) { return }
            throw .failed(operation: "delete \(path)", reason: "\(error)")
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
    /// The keys of all entries that no outbox with an unsent change may need.
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
        // A change that the server has confirmed waits for nobody.
        let confirmed = Set(
            contents.entries.filter { $0.validators.lastModified == OutboxShelf.confirmedTag }.map(\.key))
        let unsent = places.filter { OutboxShelf.isItemKey($0.name) && !confirmed.contains($0.key) }
        let queues = Set(unsent.map(\.folder))
        // The files may be in another scope inside than the queue. What belongs to no item is swept by the next outbox.
        let files = unsent.isEmpty ? [] : places.filter { StoredAttachments.isKey($0.name) }.map(\.folder)
        let kept = queues.union(files)
        items = unsent.count
        deleted = places.filter { place in
            if OutboxShelf.isKey(place.name) { return !queues.contains(place.folder) }
            if StoredAttachments.isKey(place.name) { return !kept.contains(place.folder) }
            guard let name = place.name.rest(after: ScopeKeys.marks) else { return true }
            // The mark of a scope inside, which may have a queue or files.
            return !kept.contains { $0.hasBytes(place.folder + ScopeKeys.entries + name + "/") }
        }.map(\.key)
    }
}
