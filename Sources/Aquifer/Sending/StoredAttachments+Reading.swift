import AquiferFoundation

/// The files of copies, made from the pieces when they are needed.
extension StoredAttachments {
    func file(
        _ name: String, original: String, length: UInt64, sum: UInt64
    ) async throws(AttachmentTrouble) -> URL {
        let file = try local(name, original)
        if let facts = try? FileFacts(of: file), facts.size == length { return file }  // otherwise it is made now
        return try await fetch(name, original, length, sum, to: file)
    }

    func check(_ parts: [OutboxRecord.Part]) async throws(AttachmentTrouble) {
        for part in parts {
            guard case .kept(let name, let original, let length, let sum) = part else { continue }
            let file = try local(name, original)
            let isWhole = await queue.run {
                // A file that cannot be read is made anew.
                guard let open = try? POSIX.openToRead(file.path) else { return false }
                return (try? AttachmentFolder.sum(of: open, 0..<length) { _ in }) == sum  // as above
            }
            if !isWhole { _ = try await fetch(name, original, length, sum, to: file) }
        }
    }

    /// The place of a copy's file on this machine.
    func local(_ name: String, _ original: String) throws(AttachmentTrouble) -> URL {
        guard !name.contains("/") else { throw .gone(original) }
        do throws(StoreError) { return try copies().appendingPathComponent(name) } catch { throw .store(error) }
    }

    /// Makes the file of a copy from its pieces. It takes its place once it is whole and its checksum is right.
    private func fetch(
        _ name: String, _ original: String, _ length: UInt64, _ sum: UInt64, to file: URL
    ) async throws(AttachmentTrouble) -> URL {
        let turn = fetches.withLock { count in
            count += 1
            return count
        }
        let draft = "\(file.path).\(tag.uuidString)-\(turn).new"
        defer { _ = try? POSIX.remove(draft) }  // it was renamed, or the folder goes with the process
        let target = try await told(original) { () async throws(StoreError) in
            try await forgetOthers(in: FilePath.folder(of: file.path))
            return try await queue.run { () throws(StoreError) in try POSIX.openToWrite(draft, truncate: true) }
        }
        var (seen, at, number) = (UInt64(0), UInt64(0), 0)
        while at < length {
            let (wanted, key) = (min(UInt64(AttachmentFolder.piece), length - at), Self.key(name, number))
            let entry = try await told(original) { () async throws(StoreError) in try await store.retrieve(key) }
            guard let bytes = entry?.bytes else { throw .gone(original) }
            guard bytes.count == wanted else {
                throw .unusable(.init(name: original, reason: "was changed after it was queued"))
            }
            try await told(original) { () async throws(StoreError) in
                try await queue.run { () throws(StoreError) in try POSIX.write(target, bytes) }
            }
            seen = bytes.withUnsafeBytes { [seen] in BlockSum.of($0, number, seed: seen) }
            at += wanted
            number += 1
        }
        if seen != sum { throw .unusable(.init(name: original, reason: "was damaged after it was queued")) }
        try await told(original) { () async throws(StoreError) in
            try await queue.run { () throws(StoreError) in try POSIX.replace(file.path, with: draft) }
        }
        return file
    }

    /// Damage of the store is damage of the copy. Any other failure says nothing about the copy.
    private func told<Value: Sendable>(
        _ original: String, _ body: () async throws(StoreError) -> Value
    ) async throws(AttachmentTrouble) -> Value {
        do throws(StoreError) { return try await body() } catch {
            guard case .unreadable = error else { throw .store(error) }
            throw .unusable(.init(name: original, reason: "was damaged after it was queued"))
        }
    }

    /// Deletes the files of copies that another machine has sent meanwhile.
    private func forgetOthers(in folder: String) async throws(StoreError) {
        let names = try await queue.run { () throws(StoreError) in
            // Systems clear the folders of what can be made again.
            try POSIX.makeFolder(folder)
            return try POSIX.names(in: folder)
        }
        guard !names.isEmpty else { return }
        let known = Set(try await listed().map(\.name))
        for name in names where !name.hasSuffix(".new") && !known.contains(name) {
            _ = try? POSIX.remove("\(folder)/\(name)")  // the folder goes with the process
        }
    }
}
