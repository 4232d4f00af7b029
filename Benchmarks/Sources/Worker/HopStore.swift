import Aquifer
import AquiferTesting
import Foundation

/// The floor of every store on a server: a call goes to one other thread and comes back at once, with an entry that was there before. Nothing is
/// sent, and nothing is checked.
struct HopStore: ForwardingStore {
    let base: any CacheStore = MemoryStore()
    private let hop = Hop()
    private let found: StoredEntry

    init(size: Int) { found = StoredEntry(bytes: Data(count: size), savedAt: Date()) }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        await hop.there()
        return found
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) { await hop.there() }
}

/// A thread that lets each caller go on as soon as it sees him. It lasts as long as the process.
private final class Hop: @unchecked Sendable {
    private let condition = NSCondition()
    private var callers: [UnsafeContinuation<Void, Never>] = []

    init() {
        Thread.detachNewThread { [self] in
            while true {
                condition.lock()
                while callers.isEmpty { condition.wait() }
                let next = callers
                callers = []
                condition.unlock()
                for caller in next { caller.resume() }
            }
        }
    }

    func there() async {
        await withUnsafeContinuation { caller in
            condition.lock()
            callers.append(caller)
            if callers.count == 1 { condition.signal() }
            condition.unlock()
        }
    }
}
