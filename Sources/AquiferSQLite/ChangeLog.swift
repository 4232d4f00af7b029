import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// The log of changed keys beside a database, `FILE-changes`: how the processes that use it tell each other.
///
/// The first observer creates it, with mode 0600. Each writer appends a line to it if it is there, in one call of
/// the system. It holds nothing that is needed: without it, changes are noticed later (``ChangeWatch``).
final class ChangeLog: Sendable {
    /// The first line of the file. A file that begins with anything else is not touched.
    static let title = "Aquifer changes, version 1\n"
    /// The size in bytes from which on it is begun anew.
    static let limit = 65_536
    /// The beginning of a line that tells no change.
    static let mark = "o "
    /// The most digits of the keys of one commit that are written down.
    private static let longest = 4_000

    let path: String
    /// The name of this instance in the log, so that it passes over its own lines.
    let author: String
    private let lines = Locked<UInt64>(0)

    init(_ path: String, chance: UInt64 = .random(in: .min ... .max)) {
        self.path = path
        author = chance.hexadecimal
    }

    /// The log of a store, which is made when it is first needed.
    static func log(_ known: Locked<ChangeLog?>, _ path: String) -> ChangeLog {
        known.withLock { known in
            if let known { return known }
            let log = ChangeLog(path)
            known = log
            return log
        }
    }

    /// Creates the file, unless it is there.
    func create(_ files: FilePolicy) {
        guard !POSIX.exists(path) else { return }
        // Without the log, changes are noticed later.
        guard let file = try? POSIX.openToWrite(path, truncate: false), (try? POSIX.size(file)) == 0 else { return }
        try? POSIX.write(file, Data(Self.title.utf8))  // as above
        try? files.apply(to: [path])  // as above
    }

    /// Writes down the changes of one commit, if the file is there.
    func append(_ changes: [StoreChange]) {
        // A line that cannot be written is missed: the change is noticed later.
        guard let file = try? POSIX.openToAppend(path), let size = try? POSIX.size(file), isOurs(file) else { return }
        if size > Self.limit { try? POSIX.cut(file, to: Self.title.utf8.count) }  // else it grows until the next line
        try? POSIX.write(file, Data(line(changes).utf8))  // as above
    }

    /// A line that says nothing but that it is there: it tells the end of the log from any earlier end.
    func appendMark() {
        guard let file = try? POSIX.openToAppend(path), isOurs(file) else { return }  // as above
        try? POSIX.write(file, Data("\(Self.mark)\(suffix())".utf8))  // as above
    }

    func isOurs(_ file: POSIX.File) -> Bool {
        (try? POSIX.read(file, upTo: Self.title.utf8.count)) == Data(Self.title.utf8)  // else it is not ours
    }

    private func line(_ changes: [StoreChange]) -> String {
        let words = changes.map { change in
            switch change {
            case .entry(let key): "e\(Data(key.utf8).hexadecimal)"
            case .prefix(let prefix): "p\(Data(prefix.utf8).hexadecimal)"
            case .everything: "a"
            }
        }.joined(separator: ",")
        return "\(words.utf8.count > Self.longest ? "a" : words) \(suffix())"
    }

    /// The end of each line, which no other line has.
    private func suffix() -> String {
        let number = lines.withLock { lines in
            lines += 1
            return lines
        }
        return "\(author) \(number)\n"
    }

    /// The changes that a line tells: none for a line of this instance, or a mark.
    func changes(in line: Substring) -> [StoreChange] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty else { return [.everything] }
        if words[1] == author || words[0] == "o" { return [] }
        return words[0].split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let bytes = Data(hexadecimal: String(word.dropFirst())) else { return .everything }
            let text = String(decoding: bytes, as: UTF8.self)
            return word.first == "e" ? .entry(text) : word.first == "p" ? .prefix(text) : .everything
        }
    }
}

/// Reads what others append to a ``ChangeLog``.
struct ChangeLogReader {
    private let log: ChangeLog
    /// The place after the last line that was read.
    private var place = 0
    /// The last bytes before that place. If the file has others there, it was begun anew.
    private var end = Data()

    /// A reader of what is appended from now on.
    init(_ log: ChangeLog) {
        self.log = log
        log.appendMark()
        _ = skip()
    }

    /// What was told since the last call.
    struct Told {
        /// The changes of others.
        var changes: [StoreChange] = []
        /// True if anybody, this instance too, wrote a line.
        var hasLines = false
        /// The number of commits that were told, those of this instance included; `nil` if it is not known.
        var commits: Int? = 0
    }

    /// Reads what was told since the last call.
    mutating func read() -> Told {
        // A log that cannot be read tells nothing.
        guard let file = try? POSIX.openToRead(log.path), let size = try? POSIX.size(file) else {
            return place == 0 ? Told() : skip()
        }
        guard place > 0, size >= place, size - place <= ChangeLog.limit * 4,
            let bytes = Self.bytes(file, from: place - end.count, to: size), bytes.prefix(end.count) == end
        else { return skip() }
        let text = String(decoding: bytes.dropFirst(end.count), as: UTF8.self)
        // A line that is being written is read when it is whole.
        guard let last = text.lastIndex(of: "\n") else { return Told() }
        let whole = text[...last]
        place += whole.utf8.count
        end = Data((bytes.prefix(end.count) + Data(whole.utf8)).suffix(64))
        let lines = whole.split(separator: "\n")
        return Told(
            changes: lines.flatMap { log.changes(in: $0) }, hasLines: true,
            commits: lines.count { !$0.hasPrefix(ChangeLog.mark) })
    }

    /// Goes to the end of the log. Anything may have been told before.
    private mutating func skip() -> Told {
        let wasThere = place > 0
        (place, end) = (0, Data())
        // As above.
        guard let file = try? POSIX.openToRead(log.path), log.isOurs(file), let size = try? POSIX.size(file),
            let bytes = Self.bytes(file, from: max(0, size - 4_096), to: size),
            let last = bytes.lastIndex(of: UInt8(ascii: "\n"))
        else { return wasThere ? Told(changes: [.everything], hasLines: true, commits: nil) : Told() }
        let whole = bytes[...last]
        place = size - (bytes.count - whole.count)
        end = Data(whole.suffix(64))
        return Told(changes: [.everything], hasLines: true, commits: nil)
    }

    private static func bytes(_ file: POSIX.File, from first: Int, to last: Int) -> Data? {
        try? POSIX.data(max(0, last - first)) { memory throws(StoreError) in  // a log that cannot be read tells nothing
            guard try POSIX.read(file, into: memory, at: first) == memory.count else {
                throw .failed(operation: "read \(file.path)", reason: "it was cut meanwhile")
            }
        }
    }
}
