import Aquifer
import AquiferCRedis
import Dispatch

extension RedisStore {
    /// True if a text is an address of a Redis server.
    public static func isAddress(_ address: String) -> Bool { (try? RedisAddress(address)) != nil }

    /// True if a text is no address, or a server has answered and refuses it for good: its user, its password or its database is wrong. False if it takes
    /// the address, and if no server has answered, or one that is starting or full: that may pass by itself.
    ///
    /// - Parameters:
    ///   - address: an address, as for a store.
    ///   - patience: the time for each step of the question.
    public static func isRefused(_ address: String, patience: Duration = .seconds(5)) async -> Bool {
        guard let address = try? RedisAddress(address) else { return true }  // no server is needed to refuse it
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Connecting(address: address, patience: patience).isRefused)
            }
        }
    }
}

extension Connecting {
    fileprivate var isRefused: Bool {
        do throws(Failure) { redisFree(try open()) } catch {
            return error.isRefusal && !error.message.contains("max number of clients")
        }
        return false
    }
}
