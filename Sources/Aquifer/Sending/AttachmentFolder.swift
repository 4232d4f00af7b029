import Foundation

/// The outbox's own folder for the files of what it sends: what is queued must not change or vanish any more.
///
/// A copy is made as `new.STEM.PLACE`, and named `NUMBER.STEM.PLACE` once its item has a number. Until the item is on
/// disk, whoever makes the copy holds a lock on it; one that no item names and nobody holds was left by a process that
/// was killed.
struct AttachmentFolder: Sendable {
    /// Copies that no sweep takes away: keep it until the item is on disk.
    struct Hold: Sendable {
        var parts: [OutboxRecord.Part]
        fileprivate var files: [POSIX.File] = []

        /// What is in the folder.
        var names: [String] { parts.compactMap(\.keptName) }
    }

    private static let chunk = 1 << 20
    let path: String
    private let queue = SerialQueue("aquifer.outbox-attachments")

    init(_ url: URL) { path = url.standardizedFileURL.path }

    /// Copies the files among the parts; on failure nothing is left. No other call may ever use the same stem.
    func keep(_ parts: [HTTPBody.Part], stem: String) async throws(OutboxError) -> Hold {
        try await queue.run { () throws(OutboxError) in
            var hold = Hold(parts: [])
            do throws(OutboxError) {
                for (place, part) in parts.enumerated() {
                    switch part {
                    case .bytes(let data):
                        hold.parts.append(.bytes(data))
                    case .file(let url, let offset, let length):
                        let name = "new.\(stem).\(place)"
                        hold.parts.append(.kept(name: name, original: url.lastPathComponent, length: length))
                        hold.files.append(try copy(url, offset, length, to: name))
                    }
                }
            } catch {
                remove(hold.names)
                throw error
            }
            return hold
        }
    }

    /// Names the copies after their item.
    func assign(_ hold: inout Hold, to number: UInt64) throws(StoreError) {
        for (place, part) in hold.parts.enumerated() {
            guard case .kept(let name, let original, let length) = part else { continue }
            let newName = "\(number).\(name.dropFirst("new.".count))"
            try POSIX.replace(path + "/" + newName, with: path + "/" + name)
            hold.parts[place] = .kept(name: newName, original: original, length: length)
        }
        if !hold.files.isEmpty, let folder = try POSIX.openToRead(path) { try POSIX.flush(folder) }
    }

    /// Removes files; what cannot be removed is swept away later.
    func remove(_ names: [String]) {
        for name in names {
            // A file that stays harms nobody, and the next sweep finds it.
            _ = try? POSIX.remove(path + "/" + name)
        }
    }

    /// Removes what no item names.
    func sweep(_ isUnused: @Sendable (_ name: String, _ number: UInt64) async -> Bool) async {
        // A folder that cannot be listed, as one that is not there yet, has nothing to sweep.
        guard let names = try? POSIX.names(in: path) else { return }
        for name in names {
            let words = name.split(separator: ".")
            guard words.count == 3, words[0] == "new" || UInt64(words[0]) != nil else { continue }
            // Locked before its item is looked for: what is being queued is never taken for a leftover.
            guard let file = try? POSIX.openToWrite(path + "/" + name, truncate: false),
                (try? POSIX.tryLock(file)) == true
            else { continue }
            if let number = UInt64(words[0]), !(await isUnused(name, number)) { continue }
            remove([name])
        }
    }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    private func copy(
        _ source: URL, _ offset: UInt64, _ length: UInt64, to name: String
    ) throws(OutboxError) -> POSIX.File {
        let unusable = { (reason: String) in
            OutboxError.attachment(name: source.lastPathComponent, reason: reason)
        }
        do throws(StoreError) {
            try POSIX.makeFolder(path)
            let target = try locked(name)
            let from: POSIX.File?
            do throws(StoreError) { from = try POSIX.openToRead(source.path) } catch {
                throw .failed(operation: "", reason: "cannot be read")
            }
            guard let from, try POSIX.size(from) != nil else { throw .failed(operation: "", reason: "is not there") }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 16)
            defer { buffer.deallocate() }
            var done: UInt64 = 0
            while done < length {
                guard let at = Int(exactly: offset + done) else { break }
                let wanted = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<Int(min(UInt64(Self.chunk), length - done))])
                let count = try POSIX.read(from, into: wanted, at: at)
                guard count > 0 else { throw .failed(operation: "", reason: "is shorter than it should be") }
                try POSIX.write(target, UnsafeRawBufferPointer(rebasing: wanted[..<count]))
                done += UInt64(count)
            }
            try POSIX.flush(target)
            return target
        } catch {
            // What is wrong with the original is told as such; the rest is of the place where the copy goes.
            if case .failed("", let reason) = error { throw unusable(reason) }
            throw .store(error)
        }
    }

    /// An empty file that no sweep takes away while it is held.
    private func locked(_ name: String) throws(StoreError) -> POSIX.File {
        let target = path + "/" + name
        for _ in 0..<100 {
            let file = try POSIX.openToWrite(target, truncate: true)
            // Between making and locking it, a sweep may have taken it for a leftover.
            if try POSIX.tryLock(file), POSIX.exists(target) { return file }
        }
        throw .busy(path: target)
    }
}

extension OutboxRecord.Message {
    /// The pieces of the body as a client takes them.
    ///
    /// - Throws: when a file is gone or was changed.
    func body(in folder: AttachmentFolder?) throws(MultipartForm.UnusableFile) -> HTTPBody? {
        guard let parts else { return nil }
        var body: [HTTPBody.Part] = []
        for part in parts {
            switch part {
            case .bytes(let data):
                body.append(.bytes(data))
            case .kept(let name, let original, let length):
                guard let folder, let facts = try? FileFacts(of: folder.url(name)) else {  // told as its original
                    throw MultipartForm.UnusableFile(name: original, reason: "is no longer there")
                }
                guard facts.size == length else {
                    throw MultipartForm.UnusableFile(name: original, reason: "was changed after it was queued")
                }
                body.append(.file(folder.url(name), offset: 0, length: length))
            case .file(let url, let offset, let length, let facts):
                let name = url.lastPathComponent
                guard let present = try? FileFacts(of: url) else {  // told with the time in it
                    throw MultipartForm.UnusableFile(name: name, reason: "is no longer there")
                }
                guard present == facts else {
                    throw MultipartForm.UnusableFile(name: name, reason: "was changed after it was queued")
                }
                body.append(.file(url, offset: offset, length: length))
            }
        }
        return HTTPBody(parts: body)
    }
}
