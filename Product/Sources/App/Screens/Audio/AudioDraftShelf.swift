import Aquifer
import AquiferAudioFeed
import Foundation

/// Keeps a tab's form of a new clip in a store that replicas share: a page that loses its replica finds title, file and key again at
/// another one.
@MainActor
final class AudioDraftShelf {
    nonisolated static let prefix = "draft:"

    /// The form as it is kept.
    private struct Record: Codable, Hashable {
        var title: String
        /// The key of a post that was begun: at another replica it is the same post.
        var key: String?
        var fileName: String?
        var fileSize: UInt64?
        var upload: UUID?
        /// The author. By another one it is another clip.
        var author: String?
        /// The shelf whose form sends the clip; `nil` if none does.
        var sender: UUID?
    }

    /// A form that is to be kept.
    private struct Wanted {
        let form: AudioComposeModel.Form
        /// True if the form of another replica stays.
        let unlessChanged: Bool
    }

    /// Tells the shelves of two replicas apart.
    private let sender = UUID()

    private let files: DraftFiles
    private let entryKey: String
    private var store: any CacheStore { files.store }
    /// The record of the store, as far as this replica knows.
    private var known: Record?
    /// The reason why the store could not take the last form.
    private var failure: StoreError?
    /// The files of this process that are in the store, too.
    private var stored: [URL: UUID] = [:]
    private var wanted: Wanted?
    private var saving: Task<Void, Never>?
    private var looking: Task<AudioComposeModel.Form?, Never>?
    /// The number of calls that have saved.
    private var saves = 0

    init(_ files: DraftFiles, tab: String) {
        self.files = files
        entryKey = Self.prefix + tab
    }

    /// The form as another replica has left it; `nil` if it is as this one knows it.
    func found() async -> AudioComposeModel.Form? {
        // One look after another: two would fetch the file twice.
        while let other = looking { _ = await other.value }
        let task = Task {
            defer { looking = nil }
            return await look()
        }
        looking = task
        return await task.value
    }

    private func look() async -> AudioComposeModel.Form? {
        while true {
            await saving?.value
            let count = saves
            let record: Record?
            // A store that cannot be read now tells nothing: the form here goes on.
            do { record = try await read() } catch { return nil }
            if saves != count { continue }
            guard failure == nil, record != known else { return nil }
            let form = await form(of: record)
            // The form was edited here meanwhile.
            if saves != count { continue }
            if let url = form.file?.url, let id = record?.upload { stored[url] = id }
            known = record
            return form
        }
    }

    private func form(of record: Record?) async -> AudioComposeModel.Form {
        var form = AudioComposeModel.Form(
            title: record?.title ?? "", file: nil, key: record?.key, author: record?.author,
            isBeingSent: record?.sender != nil)
        guard let record, let id = record.upload, let size = record.fileSize else { return form }
        let own = stored.first { $0.value == id && POSIX.exists($0.key.path(percentEncoded: false)) }?.key
        // If the file cannot be read, the title is left.
        var url = own
        if url == nil { url = try? await files.fetch(id, size: size) }
        guard let url else { return form }
        form.file = .init(url: url, name: record.fileName ?? "", size: size)
        return form
    }

    /// Keeps a file, before the form has it.
    func keep(_ file: URL) async throws(StoreError) {
        let id = UUID()
        try await files.keep(file, as: id)
        stored[file] = id
    }

    /// Keeps the form. If several come meanwhile, only the last is kept.
    ///
    /// - Parameter unlessChanged: true if a form that another replica has kept since stays. An empty form never takes the place of such
    ///   a one.
    func save(_ form: AudioComposeModel.Form, unlessChanged: Bool = false) async {
        wanted = Wanted(form: form, unlessChanged: unlessChanged)
        saves += 1
        if saving == nil {
            saving = Task {
                while let next = wanted {
                    wanted = nil
                    await write(next)
                }
                saving = nil
            }
        }
        await saving?.value
    }

    /// Keeps a form whose clip is about to be sent.
    ///
    /// - Returns: false if another replica has done something to the form: it may have sent the clip.
    /// - Throws: the error of a store that could not take it.
    func begin(_ form: AudioComposeModel.Form) async throws(StoreError) -> Bool {
        await save(form, unlessChanged: true)
        if let failure { throw failure }
        return known?.sender == sender
    }

    /// Gives the form in the store the present date, if it is the one of this replica, and changes nothing else of it: what is open does not
    /// end with what was left.
    func renew() async {
        // A store that fails is asked by the next call, which comes long before the end.
        guard let known, let time = try? await files.time() else { return }
        try? await store.update(entryKey) { found in  // as above
            guard case .success(var entry?) = found, Self.record(in: entry) == known else { return .keep }
            entry.savedAt = max(entry.savedAt, time)
            return .replace(entry)
        }
    }

    /// Calls `onChange` after the form was kept by any replica.
    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation {
        let key = entryKey
        return store.changes.observe { change in if change.concerns(key) { onChange() } }
    }

    private func write(_ wanted: Wanted) async {
        let form = wanted.form
        let upload = form.file.flatMap { stored[$0.url] }
        let isEmpty = form.title.isEmpty && form.file == nil
        var record: Record?
        if !isEmpty {
            record = Record(
                title: form.title, key: form.key, fileName: form.file?.name, fileSize: form.file?.size, upload: upload,
                author: form.author, sender: form.isBeingSent ? sender : nil)
        }
        // A file that is kept while this is written is not among them.
        let dropped = stored.filter { $0.value != upload }
        do {
            // The next look finds the form that another replica has kept.
            guard try await put(record, unlessChanged: wanted.unlessChanged || isEmpty) else { return failure = nil }
            (known, failure) = (record, nil)
        } catch {
            // The form can be edited all the same, at this replica.
            failure = error as? StoreError ?? .failed(operation: "keep the form", reason: "\(error)")
            return
        }
        for (url, other) in dropped {
            stored[url] = nil
            await files.remove(other)
        }
    }

    /// Puts a record in the place of the one in the store.
    ///
    /// - Parameter unlessChanged: true if a record stays that is not the known one.
    /// - Returns: false if such a one stays.
    private func put(_ record: Record?, unlessChanged: Bool) async throws -> Bool {
        var entry: StoredEntry?
        if let record { entry = StoredEntry(bytes: try JSONEncoder().encode(record), savedAt: try await files.time()) }
        if !unlessChanged, let entry {
            try await store.insert(entry, for: entryKey)
            return true
        }
        let change = entry.map { EntryChange.replace($0) } ?? .delete
        // After a write that failed nobody knows whether it was carried out.
        let (known, isBehind) = (known, failure != nil)
        return try await store.decide(entryKey) { found throws(StoreError) -> (EntryChange, Bool) in
            let present = try found.get().flatMap { Self.record(in: $0) }
            // Two replicas may end with one form.
            let isOver = present == nil && record == nil
            // A form whose clip is to be sent takes no place of one that another replica sends, or has sent.
            let isOthers = present == nil ? known != nil : present?.sender != nil && present?.sender != sender
            let isOurs = isBehind && !(record?.sender != nil && isOthers)
            return isOurs || isOver || present == known ? (change, true) : (.keep, false)
        }
    }

    /// The file of a form that was kept; `nil` if it has none.
    nonisolated static func upload(of entry: StoredEntry) -> UUID? { record(in: entry)?.upload }

    /// The form in an entry; `nil` if it cannot be read.
    private nonisolated static func record(in entry: StoredEntry) -> Record? {
        try? JSONDecoder().decode(Record.self, from: entry.bytes)  // one that cannot be read is nobody's form
    }

    private func read() async throws -> Record? {
        try await store.retrieve(entryKey).map { try JSONDecoder().decode(Record.self, from: $0.bytes) }
    }
}
