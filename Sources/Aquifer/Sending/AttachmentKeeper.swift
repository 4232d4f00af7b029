import AquiferFoundation

/// Keeps the outbox's own copies of the files that it sends, so that a queued file can neither change nor vanish.
///
/// A copy is made before its item has a number, named after the item before that is saved, and is the item's own once
/// ``confirm(_:)`` has returned. A copy that was left by a killed process is swept.
protocol AttachmentKeeper: Sendable {
    /// The place of the copies, for messages.
    var place: String { get }

    /// Copies the files among the parts. On failure no copy is left. No other call may ever use the same stem.
    func keep(_ parts: [HTTPBody.Part], stem: String) async throws(OutboxError) -> AttachmentHold
    /// Names the copies after their item, before the item is saved.
    func assign(_ hold: inout AttachmentHold, to number: UInt64) async throws(StoreError)
    /// The item is saved. Returns false if a sweep has taken a copy away before.
    func confirm(_ hold: AttachmentHold) async throws(StoreError) -> Bool

    /// A file with the bytes of a copy, to be sent or heard. It stays until its item leaves the queue.
    ///
    /// - Parameter original: the name of the original file, for the error.
    func file(_ name: String, original: String, length: UInt64, sum: UInt64) async throws(AttachmentTrouble) -> URL
    /// Reads every copy of an item, and compares it with its checksum.
    ///
    /// - Throws: the first damaged copy.
    func check(_ parts: [OutboxRecord.Part]) async throws(AttachmentTrouble)

    /// Deletes copies. A later sweep deletes a copy that cannot be deleted now.
    func remove(_ names: [String]) async
    /// Deletes every copy of an item whose list of files cannot be read.
    func removeAll(of number: UInt64) async
    /// Deletes copies without an item, and copies that no longer belong to an item according to `isUnused`.
    func sweep(_ isUnused: @Sendable (_ name: String, _ number: UInt64) async -> Bool) async
    /// The highest number that a copy is named after; `nil` when there is none, or the place cannot be listed.
    func highestNumber() async -> UInt64?
}

/// Copies that no sweep deletes while this value exists. Keep it until they are confirmed.
struct AttachmentHold: Sendable {
    var parts: [OutboxRecord.Part]
    /// The locks of the copies, where locks show that their maker lives.
    var locks: [POSIX.File] = []

    /// The names of the copies.
    var names: [String] { parts.compactMap(\.keptName) }
}

/// The reason why a copy cannot be used.
enum AttachmentTrouble: Error {
    /// It is gone, or was changed.
    case unusable(MultipartForm.UnusableFile)
    /// The place cannot be read now. The copy may be undamaged.
    case store(StoreError)

    /// A file that is missing.
    static func gone(_ name: String) -> Self { .unusable(.init(name: name, reason: "is no longer there")) }

    /// The trouble with a file whose facts cannot be had: it is gone, or the system does not tell.
    init(without file: URL, named name: String) {
        let path = file.path
        if POSIX.isMissing(path, orShorterThan: 0) || POSIX.status(path).map({ $0.kind != .file }) == true {
            self = .gone(name)
        } else {
            let unknown = StoreError.failed(operation: "read \(name)", reason: "the system does not tell what it is")
            // The system tells the reason to whoever opens it.
            do throws(StoreError) { self = .store(try POSIX.openToRead(path).map { _ in unknown } ?? unknown) } catch {
                self = .store(error)
            }
        }
    }
}

extension OutboxRecord.Message {
    /// The body, as a client sends it.
    ///
    /// - Throws: when a file is missing or was changed, or cannot be read now.
    func body(in keeper: (any AttachmentKeeper)?) async throws(AttachmentTrouble) -> HTTPBody? {
        guard let parts else { return nil }
        var body: [HTTPBody.Part] = []
        for part in parts {
            switch part {
            case .bytes(let data):
                body.append(.bytes(data))
            case .kept(let name, let original, let length, let sum):
                guard let keeper else { throw .gone(original) }
                let file = try await keeper.file(name, original: original, length: length, sum: sum)
                body.append(.file(file, offset: 0, length: length))
            case .file(let url, let offset, let length, let facts):
                let name = url.lastPathComponent
                guard let present = try? FileFacts(of: url) else {  // the trouble tells why
                    throw AttachmentTrouble(without: url, named: name)
                }
                guard present == facts else {
                    throw .unusable(.init(name: name, reason: "was changed after it was queued"))
                }
                body.append(.file(url, offset: offset, length: length))
            }
        }
        return HTTPBody(parts: body)
    }
}
