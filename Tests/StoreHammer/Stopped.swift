import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Hammer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Stops a process that loads or sends over a scope just before it writes, ends the scope from another process, and lets it
/// go on: nothing may be saved or sent.
enum Stopped {
    private static let name = "user/42"

    /// Prints what each kind of work has left behind.
    static func parent(_ kind: String, _ path: String) async throws {
        let store = try Plan.open(kind, path)
        try await Scope("user/4", in: store).store.insert(Plan.entry(key: "key", writer: 0, counter: 1), for: "key")
        let log = URL(fileURLWithPath: path + "/sent")
        for work in ["load", "send", "fresh load"] {
            try Data().write(to: log)
            let told = Locked([String]())
            let worker = try HammerProcess(["--stopped", work, "--store", kind, "--path", path]) { line in
                told.withLock { $0.append(line) }
            }
            HammerProcess.wait { told.withLock { $0.contains("stopping") } }
            try await Scope(name, in: store).end(unsent: .discard)
            if work == "fresh load" { try await Scope(name, in: store).open() }
            // A process that has not stopped yet needs another signal.
            HammerProcess.wait {
                worker.resume()
                return told.withLock { $0.contains { $0.hasPrefix("end: ") } }
            }
            _ = worker.waitForEnd()
            let others = try await store.contents().entries.map(\.key).filter {
                !$0.hasPrefix("scope/user%2F4/") && $0 != "scope:user%2F4"
            }
            let sent = try Data(contentsOf: log).count
            print("\(work): \(told.withLock { $0.last ?? "nothing" }), \(others.count) left, \(sent) sent")
        }
        let kept = try await Scope("user/4", in: store).store.contents().entries.map(\.key)
        print("the other user: \(kept)")
    }

    /// Works, and stops itself just before its first write under way.
    static func work(_ work: String, _ kind: String, _ path: String) async throws {
        let store = StoppingStore(try Plan.open(kind, path))
        let scope = Scope(name, in: store)
        do {
            if work == "send" {
                let client = LoggingClient(log: URL(fileURLWithPath: path + "/sent"))
                guard let url = URL(string: "http://server.example/notes") else { return }
                let outbox = Outbox(in: scope.store, client: client)
                try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data("note".utf8))))
                _ = try await outbox.items()
                store.isArmed.withLock { $0 = true }
                try await outbox.drain()
            } else {
                try await scope.open()
                let remote = RemoteLoader<[String]> { _ in .value(["theirs"], .none) }
                let cache = Cache<[String]>(key: "texts", in: scope.store)
                store.isArmed.withLock { $0 = true }
                _ = try await Resource(remote: remote, cache: cache).load()
            }
            try HammerProcess.tell("end: done")
        } catch LoadError.store(.ended(let scope), _) {
            try HammerProcess.tell("end: \(scope) has ended")
        } catch StoreError.ended(let scope) {
            try HammerProcess.tell("end: \(scope) has ended")
        }
    }
}

/// Stops its process before the first write after it was armed.
private final class StoppingStore: ForwardingStore {
    let isArmed = Locked(false)
    let base: any CacheStore

    init(_ base: any CacheStore) { self.base = base }

    private func pass() {
        let mustStop = isArmed.withLock { isArmed in
            defer { isArmed = false }
            return isArmed
        }
        guard mustStop else { return }
        // A parent that is gone reads nothing: then there is nobody to stop for.
        try? HammerProcess.tell("stopping")
        // This thread is the first to stop, before it does anything more.
        raise(SIGSTOP)
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        pass()
        try await base.insert(entry, for: key)
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        pass()
        try await base.update(key, decide)
    }
}

/// Writes each request down, and has no connection.
private struct LoggingClient: HTTPClient {
    let log: URL

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        // Without a log the parent counts nothing, and says so.
        try? Data("x".utf8).write(to: log)
        throw TransportError(.cannotConnect)
    }
}
