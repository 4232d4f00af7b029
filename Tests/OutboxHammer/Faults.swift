import Aquifer
import AquiferSQLite
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Troubles that can only be had by a whole process.
enum Faults {
    /// Files of this process may not grow beyond 300 KB: what a full disk looks like, without filling one.
    static func full(_ place: Place) async throws {
        let outbox = try Sender.open(place)
        guard let url = URL(string: "http://server.internal/notes") else { return }
        try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data("before".utf8))))
        let file = place.folder.appendingPathComponent("large.bin")
        try Data(count: 1_000_000).write(to: file)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        let attachment = HTTPBody(parts: [.file(file, offset: 0, length: 1_000_000)])
        await say("attachment") { try await outbox.enqueue(HTTPRequest(.post, url, body: attachment)) }
        await say("body") {
            try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data(count: 1_000_000))))
        }
        await say("small") { try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data("small".utf8)))) }
        let left = try FileManager.default.contentsOfDirectory(atPath: place.attachments.path)
        print("items: \(try await outbox.items().count), files: \(left.count)")
    }

    private static func say(_ attempt: String, _ operation: () async throws -> Void) async {
        do {
            try await operation()
            print("\(attempt): queued")
        } catch OutboxError.store(.full) {
            print("\(attempt): full")
        } catch {
            print("\(attempt): \(error)")
        }
    }
}
