import Aquifer
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Troubles that can only be had by a whole process: no room, no permission. Each prints what the store said.
enum Faults {
    /// Files of this process may not grow beyond 300 KB: what a full disk looks like, without filling one.
    static func full(_ kind: String, _ path: String) async throws {
        let store = try Plan.open(kind, path)
        let before = Plan.entry(key: "key", writer: 0, counter: 1)
        try await store.insert(before, for: "key")
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        let large = StoredEntry(bytes: Data(repeating: 7, count: 1_000_000), savedAt: before.savedAt)
        for attempt in ["insert", "insert again"] { await say(attempt) { try await store.insert(large, for: "key") } }
        await say("update") { try await store.update("key") { _ in .replace(large) } }
        print("before: \(try await store.retrieve("key") == before ? "still there" : "gone")")
        let small = Plan.entry(key: "key", writer: 0, counter: 5)
        try await store.insert(small, for: "small")
        print("small: \(try await store.retrieve("small") == small ? "stored" : "gone")")
    }

    /// As a user who may read the store and not write it.
    static func readOnly(_ kind: String, _ path: String) async throws {
        if getuid() == 0 {
            guard setgid(65534) == 0, setuid(65534) == 0 else { throw Usage(message: "cannot become nobody") }
        }
        do {
            let store = try Plan.open(kind, path)
            await say("insert") {
                try await store.insert(Plan.entry(key: "key", writer: 0, counter: 2), for: "key")
            }
            await say("delete") { try await store.delete("key") }
            let entry = try await store.retrieve("key")
            print("before: \(entry.flatMap { Plan.counter(of: $0, key: "key") } == 1 ? "still there" : "gone")")
        } catch let error as StoreError {
            print("open: \(name(error))")
        }
    }

    private static func say(_ attempt: String, _ operation: () async throws -> Void) async {
        do {
            try await operation()
            print("\(attempt): done")
        } catch {
            print("\(attempt): \((error as? StoreError).map(name) ?? "\(error)")")
        }
    }

    private static func name(_ error: StoreError) -> String {
        switch error {
        case .full: "full"
        case .readOnly: "read-only"
        default: "\(error)"
        }
    }
}
