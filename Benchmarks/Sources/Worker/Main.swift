import Foundation

/// A worker of the benchmarks: reads one command a line, runs it once, and answers with the seconds that one operation
/// took; with several figures where one run has several. The driver (`driver/`) pairs the contenders and sets the number of rounds.
@main
enum Worker {
    static func main() async throws {
        let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
        var bench = Bench(folder: folder)
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do {
                print(try await bench.run(words).map { "\($0)" }.joined(separator: " "))
            } catch {
                print("failed: \(error)")
            }
            fflush(nil)
        }
    }
}

/// The state of a worker between two commands.
struct Bench {
    let folder: URL
    private var cached: [Int: CachedLoad] = [:]
    private var stores: [String: StoreBench] = [:]
    private var clients = Clients()
    private var downloads: DownloadBench?
    private let uploads = UploadBench()
    private var live: LiveBench?
    private var scopes: ScopeBench?
    private var pages: PageBench?
    private var millions: [Int: MillionBench] = [:]
    private var changes: ChangeBench?
    private var shared: [String: SharedBench] = [:]
    private var herd: HerdBench?
    private var senders: [String: SenderBench] = [:]
    private var users: [String: UserBench] = [:]

    init(folder: URL) {
        self.folder = folder
    }

    struct Unknown: Error {
        let words: [String]
    }

    /// `cached WAY ITEMS OPS`, `upload BYTES URL FILE`, `live WORK UPDATES`, `scopes WORK ENTRIES`, `pages WORK LENGTH…`, `changes WORK COUNT`, `entries WORK COUNT PARAMETER`, and the commands with one figure
    mutating func run(_ words: [String]) async throws -> [Double] {
        switch words.first {
        case "live":
            guard words.count == 3, let updates = Int(words[2]) else { throw Unknown(words: words) }
            let bench = try live ?? LiveBench(folder: folder)
            live = bench
            return try await bench.run(words[1], updates)
        case "scopes":
            guard words.count == 3, let entries = Int(words[2]) else { throw Unknown(words: words) }
            let bench = try scopes ?? ScopeBench(folder: folder)
            scopes = bench
            return [try await bench.run(words[1], entries)]
        case "entries":
            guard words.count == 4, let count = Int(words[2]), let parameter = Int(words[3]) else {
                throw Unknown(words: words)
            }
            let bench = try millions[count] ?? MillionBench(folder: folder, count: count)
            millions[count] = bench
            return [try await bench.run(words[1], parameter)]
        case "changes":
            guard words.count == 3, let count = Int(words[2]) else { throw Unknown(words: words) }
            let bench = changes ?? ChangeBench(folder: folder)
            changes = bench
            return try await bench.run(words[1], count)
        case "shared", "herd", "senders", "users": return try await onServers(words)
        case "upload":
            guard words.count == 4, let bytes = Int(words[1]), let url = URL(string: words[2]) else {
                throw Unknown(words: words)
            }
            return try await uploads.run(url, URL(filePath: words[3]), bytes: bytes)
        case "cached":
            guard words.count == 4, let items = Int(words[2]), let count = Int(words[3]) else {
                throw Unknown(words: words)
            }
            let bench =
                if let known = cached[items] { known } else { try await CachedLoad(items: items, folder: folder) }
            cached[items] = bench
            return try await bench.run(words[1], count)
        case "pages":
            let lengths = words.dropFirst(2).compactMap { Int($0) }
            guard words.count > 2, lengths.count == words.count - 2 else { throw Unknown(words: words) }
            let bench = try pages ?? PageBench(folder: folder)
            pages = bench
            return try await bench.run(words[1], lengths)
        default: return [try await seconds(words)]
        }
    }

    /// `shared ENGINE WORK SIZE CALLERS OPS ADDRESS`, `herd WAY MILLISECONDS ADDRESS`, `senders COUNT ITEMS ADDRESS`,
    /// `users WORK OTHERS ENTRIES ADDRESS`
    private mutating func onServers(_ words: [String]) async throws -> [Double] {
        let numbers = words.map { Int($0) }
        switch (words[0], words.count) {
        case ("shared", 7):
            guard let size = numbers[3], let width = numbers[4], let count = numbers[5] else { break }
            let name = "\(words[1])-\(size)"
            let bench =
                if let known = shared[name] { known } else {
                    try await SharedBench(words[1], size: size, address: words[6])
                }
            shared[name] = bench
            return [try await bench.run(words[2], width, count)]
        case ("herd", 4):
            guard let milliseconds = numbers[2] else { break }
            let bench = if let herd { herd } else { try await HerdBench(words[3]) }
            herd = bench
            return try await bench.run(words[1], .milliseconds(milliseconds))
        case ("senders", 4):
            guard let count = numbers[1], let items = numbers[2] else { break }
            let bench = if let known = senders[words[3]] { known } else { SenderBench(words[3]) }
            senders[words[3]] = bench
            return try await bench.run(senders: count, items: items)
        case ("users", 5):
            guard let others = numbers[2], let entries = numbers[3] else { break }
            let bench =
                if let known = users[words[2]] { known } else {
                    try await UserBench(words[4], schema: "users_\(others)")
                }
            users[words[2]] = bench
            return try await bench.run(words[1], entries)
        default: break
        }
        throw Unknown(words: words)
    }

    /// `store ENGINE WORK SIZE OPS`, `loads CLIENT CONCURRENCY OPS URL`,
    /// `download DURABILITY BYTES URL`
    private mutating func seconds(_ words: [String]) async throws -> Double {
        switch (words.first, words.count) {
        case ("store", 5):
            guard let size = Int(words[3]), let count = Int(words[4]) else { throw Unknown(words: words) }
            let name = "\(words[1])-\(size)"
            if stores[name] == nil { stores[name] = try await StoreBench(words[1], size: size, folder: folder) }
            guard let seconds = try await stores[name]?.run(words[2], count) else { throw Unknown(words: words) }
            return seconds
        case ("loads", 5):
            guard let width = Int(words[2]), let count = Int(words[3]), let url = URL(string: words[4]) else {
                throw Unknown(words: words)
            }
            return try await clients.run(words[1], width, count, url)
        case ("download", 4):
            guard let bytes = Int(words[2]), let url = URL(string: words[3]) else { throw Unknown(words: words) }
            if downloads == nil { downloads = try DownloadBench(folder: folder) }
            guard let seconds = try await downloads?.run(words[1], url, bytes: bytes) else {
                throw Unknown(words: words)
            }
            return seconds
        default:
            throw Unknown(words: words)
        }
    }
}

/// The seconds that one of `count` runs of `body` took.
func secondsEach(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { try await body() }
    return (ContinuousClock.now - start) / .seconds(1) / Double(count)
}
