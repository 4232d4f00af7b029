import AquiferFoundation

/// A folder of copies, on this machine.
///
/// A copy is created as `new.STEM.PLACE`, and renamed to `NUMBER.STEM.PLACE` once its item has a number. Its creator
/// holds a lock on it until the item is on disk. A copy without an item and without a lock was left by a killed
/// process.
struct AttachmentFolder: AttachmentKeeper {
    let path: String
    let queue = SerialQueue("aquifer.outbox-attachments")

    init(_ url: URL) { path = url.standardizedFileURL.path }

    var place: String { path }

    func keep(_ parts: [HTTPBody.Part], stem: String) async throws(OutboxError) -> AttachmentHold {
        try await queue.run { () throws(OutboxError) in
            var hold = AttachmentHold(parts: [])
            do throws(OutboxError) {
                for (place, part) in parts.enumerated() {
                    switch part {
                    case .bytes(let data):
                        hold.parts.append(.bytes(data))
                    case .file(let url, let offset, let length):
                        let name = "new.\(stem).\(place)"
                        let original = url.lastPathComponent
                        // It is held before it is copied, so that a failed copy is removed.
                        hold.parts.append(.kept(name: name, original: original, length: length, sum: 0))
                        let (file, sum) = try copy(url, offset, length, to: name)
                        hold.locks.append(file)
                        hold.parts[place] = .kept(name: name, original: original, length: length, sum: sum)
                    }
                }
            } catch {
                remove(hold.names)
                throw error
            }
            return hold
        }
    }

    func assign(_ hold: inout AttachmentHold, to number: UInt64) throws(StoreError) {
        for (place, part) in hold.parts.enumerated() {
            guard case .kept(let name, let original, let length, let sum) = part else { continue }
            // The name begins with `new`, or with a number that is occupied.
            guard let stem = name.firstIndex(of: ".") else { continue }
            let newName = "\(number)\(name[stem...])"
            try POSIX.replace(path + "/" + newName, with: path + "/" + name)
            hold.parts[place] = .kept(name: newName, original: original, length: length, sum: sum)
        }
        if let name = hold.names.first { try POSIX.flushFolders(of: path + "/" + name) }
    }

    /// The lock of a copy has kept every sweep away.
    func confirm(_ hold: AttachmentHold) -> Bool { true }

    func file(_ name: String, original: String, length: UInt64, sum: UInt64) throws(AttachmentTrouble) -> URL {
        guard let facts = try? FileFacts(of: url(name)) else {  // the trouble tells why
            throw AttachmentTrouble(without: url(name), named: original)
        }
        guard facts.size == length else {
            throw .unusable(.init(name: original, reason: "was changed after it was queued"))
        }
        return url(name)
    }

    func remove(_ names: [String]) {
        for name in names {
            // A file that stays does no harm, and the next sweep finds it.
            _ = try? POSIX.remove(path + "/" + name)
        }
    }

    func removeAll(of number: UInt64) {
        // A folder that cannot be listed now is cleaned by a later sweep.
        let names = (try? POSIX.names(in: path)) ?? []
        remove(names.filter { $0.split(separator: ".").count == 3 && $0.hasPrefix("\(number).") })
    }

    func sweep(_ isUnused: @Sendable (_ name: String, _ number: UInt64) async -> Bool) async {
        // A folder that cannot be listed, such as a missing one, has nothing to sweep.
        guard let names = try? POSIX.names(in: path) else { return }
        for name in names {
            let number = Self.number(of: name)
            guard number != nil || Self.isUnnumbered(name) else { continue }
            // The copy is locked before its item is looked up, so that a copy that is being queued is never taken for a
            // leftover. It is opened only to read: opening it to write would recreate a file that its owner has just
            // deleted.
            guard let file = try? POSIX.openToRead(path + "/" + name), (try? POSIX.tryLock(file)) == true else {
                continue
            }
            if let number, !(await isUnused(name, number)) { continue }
            remove([name])
            withExtendedLifetime(file) {}  // its lock is held until here
        }
    }

    func highestNumber() async -> UInt64? {
        // A folder that cannot be listed has no number for now.
        await queue.run { (try? POSIX.names(in: path))?.compactMap { Self.number(of: $0) }.max() }
    }

    /// The number of the item in the name of a copy. No counter reaches the highest numbers: a file with such a name is
    /// not the outbox's.
    private static func number(of name: String) -> UInt64? {
        let words = name.split(separator: ".")
        guard words.count == 3, let number = UInt64(words[0]), number < 1 << 61 else { return nil }
        return number
    }

    private static func isUnnumbered(_ name: String) -> Bool {
        let words = name.split(separator: ".")
        return words.count == 3 && words[0] == "new"
    }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    private func copy(
        _ source: URL, _ offset: UInt64, _ length: UInt64, to name: String
    ) throws(OutboxError) -> (file: POSIX.File, sum: UInt64) {
        let original = try Self.original(source)
        do throws(StoreError) {
            try POSIX.makeFolder(path)
            let target = try locked(name)
            if let sum = try copy(original, offset, length, to: target) { return (target, sum) }
        } catch {
            // The copy's own name means nothing to a user.
            if case .full = error { throw .store(.full(path: path)) }
            throw .store(error)
        }
        throw .attachment(name: source.lastPathComponent, reason: "is shorter than it should be")
    }

    /// The file to copy, open.
    static func original(_ source: URL) throws(OutboxError) -> POSIX.File {
        let name = source.lastPathComponent
        do throws(StoreError) {
            if let file = try POSIX.openToRead(source.path), try POSIX.size(file) != nil { return file }
        } catch {
            throw .attachment(name: name, reason: "cannot be read")
        }
        throw .attachment(name: name, reason: "is not there")
    }

    /// Copies a part of a file, and flushes the copy.
    ///
    /// - Returns: the checksum of the copy; `nil` if the file ends before the part does.
    private func copy(
        _ original: POSIX.File, _ offset: UInt64, _ length: UInt64, to target: POSIX.File
    ) throws(StoreError) -> UInt64? {
        let (end, isTooFar) = offset.addingReportingOverflow(length)
        if isTooFar { return nil }
        let sum = try Self.sum(of: original, offset..<end) { bytes throws(StoreError) in
            try POSIX.write(target, bytes)
        }
        if sum != nil { try POSIX.flush(target) }
        return sum
    }

    /// Creates an empty file that no sweep deletes while it is held.
    private func locked(_ name: String) throws(StoreError) -> POSIX.File {
        let target = path + "/" + name
        var held: POSIX.File?
        _ = try Waiting.until(.seconds(5)) { () throws(StoreError) in
            let file = try POSIX.openToWrite(target, truncate: true)
            // A sweep may take the file for a leftover between its creation and its lock.
            if try POSIX.tryLock(file), POSIX.exists(target) { held = file }
            return held != nil
        }
        guard let held else { throw .busy(path: target) }
        return held
    }
}
