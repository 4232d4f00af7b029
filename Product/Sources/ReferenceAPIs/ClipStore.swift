import AquiferConcurrency
import Foundation

/// The clips that were posted, in a folder, which several processes may use at once.
///
///     clips/NAME/clip.json, sound     each clip, whole from its first moment on
///     arriving/…/                     clips that are being posted, or were when a process was killed
///
/// An arrival becomes a clip when its folder is renamed into `clips`, under a name made of its idempotency key. The
/// first of several posts with one key wins, in this process or another. A clip that was answered survives the end of
/// the process. It is not synchronised to the disk, so it may not survive the end of the machine.
final class ClipStore: Sendable {
    private struct State {
        var clips: [String: (clip: Clip, order: Int)] = [:]
        var lastOrder = 0
        var hasLooked = false
    }

    private let root: URL
    private let isTemporary: Bool
    private let now: @Sendable () -> Date
    private let lock = Lock()
    nonisolated(unsafe) private var state = State()

    /// - Parameter folder: the folder of the clips, made with the first post; `nil` for a temporary one that goes with
    ///   the store.
    init(folder: URL?, now: @escaping @Sendable () -> Date) {
        isTemporary = folder == nil
        root =
            folder
            ?? FileManager.default.temporaryDirectory.appending(
                path: "aquifer-audio-\(UUID().uuidString)", directoryHint: .isDirectory)
        self.now = now
    }

    deinit {
        // A folder that was never made cannot be removed. One that stays is in a folder that the system empties.
        if isTemporary { try? FileManager.default.removeItem(at: root) }
    }

    /// The clips, the newest first.
    func clips() throws -> [Clip] {
        let names = try folderNames()
        return try lock.withLock {
            state.clips = state.clips.filter { names.contains($0.key) }
            for name in names where state.clips[name] == nil { _ = try load(name) }
            state.hasLooked = true
            return state.clips.values.sorted { ($1.order, $1.clip.id.uuidString) < ($0.order, $0.clip.id.uuidString) }
                .map(\.clip)
        }
    }

    func clip(_ id: UUID) throws -> Clip? {
        let known = lock.withLock { state.clips.values.first { $0.clip.id == id }?.clip }
        if let known, FileManager.default.fileExists(atPath: known.file.path) { return known }
        return try clips().first { $0.id == id }
    }

    /// The clip that the key stands for.
    func clip(key: String) throws -> Clip? {
        let name = Self.name(of: key)
        guard FileManager.default.fileExists(atPath: record(name).path) else { return nil }
        return try lock.withLock { try load(name, key: key) }
    }

    // MARK: Arriving

    /// A clip on its way in.
    struct Arrival {
        fileprivate let folder: URL
        var sound: URL { folder.appending(path: "sound") }
    }

    func begin() throws -> Arrival {
        let folder = arriving.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let arrival = Arrival(folder: folder)
        guard FileManager.default.createFile(atPath: arrival.sound.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return arrival
    }

    func abandon(_ arrival: Arrival) {
        // The removal fails if the folder was never made, or has become a clip: there is nothing to remove then.
        try? FileManager.default.removeItem(at: arrival.folder)
    }

    /// Makes the arrival a clip, or returns the clip that its key stands for already.
    func publish(
        _ arrival: Arrival, _ metadata: ClipMetadata, duration: Double, kind: AudioKind, key: String?
    ) throws -> Clip {
        let date = now()
        let record = Record(
            id: UUID(), title: metadata.title, author: metadata.author, duration: duration, date: date,
            waveform: metadata.waveform, kind: kind, order: try nextOrder(date), key: key)
        let name = key.map(Self.name) ?? record.id.uuidString
        try SealedJSON.encode(record).write(to: arrival.folder.appending(path: "clip.json"))
        try FileManager.default.createDirectory(at: published, withIntermediateDirectories: true)
        if rename(arrival.folder.path, published.appending(path: name).path) != 0 {
            guard key != nil, errno == ENOTEMPTY || errno == EEXIST else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            abandon(arrival)
        }
        return try lock.withLock { try load(name, key: key) }
    }

    /// An order after that of every other clip: the date in microseconds, unless the clock has stopped or was set back.
    private func nextOrder(_ date: Date) throws -> Int {
        if !lock.withLock({ state.hasLooked }) { _ = try clips() }
        return lock.withLock {
            state.lastOrder = max(state.lastOrder + 1, Int(date.timeIntervalSince1970 * 1_000_000))
            return state.lastOrder
        }
    }

    // MARK: On disk

    private struct Record: Codable {
        let id: UUID
        let title: String
        let author: String?
        let duration: Double
        let date: Date
        let waveform: [Double]?
        let kind: AudioKind
        let order: Int
        let key: String?
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private var published: URL { root.appending(path: "clips", directoryHint: .isDirectory) }
    private var arriving: URL { root.appending(path: "arriving", directoryHint: .isDirectory) }
    private func record(_ name: String) -> URL { published.appending(path: "\(name)/clip.json") }

    private func folderNames() throws -> Set<String> {
        do {
            return Set(try FileManager.default.contentsOfDirectory(atPath: published.path))
        } catch CocoaError.fileReadNoSuchFile { return [] }
    }

    /// The caller holds the lock.
    private func load(_ name: String, key: String? = nil) throws -> Clip {
        if let known = state.clips[name]?.clip { return known }
        let record: Record
        do { record = try SealedJSON.read(Record.self, from: self.record(name)) } catch {
            throw Unreadable(description: "the clip in \(published.path)/\(name) cannot be read: \(error)")
        }
        guard key == nil || record.key == key else {
            throw Unreadable(description: "two idempotency keys have one name: choose another key")
        }
        let clip = Clip(
            id: record.id, title: record.title, author: record.author, duration: record.duration, date: record.date,
            form: record.order, waveform: record.waveform, kind: record.kind,
            file: published.appending(path: "\(name)/sound"), etag: nil)
        state.clips[name] = (clip, record.order)
        state.lastOrder = max(state.lastOrder, record.order)
        return clip
    }

    /// A file name for any key: two hashes, one of the bytes and one of the bytes in reverse.
    private static func name(of key: String) -> String {
        let bytes = Data(key.utf8)
        return "key-\(ETag.of(bytes))-\(ETag.of(Data(bytes.reversed())))"
    }
}
