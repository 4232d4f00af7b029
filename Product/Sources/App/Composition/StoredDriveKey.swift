import Aquifer
import AquiferConcurrency
import AquiferCrypto
import AquiferPayments
import AquiferShadowDrive
import Foundation

/// The key of storage accounts that was made for a user, sealed in a store that machines share: the first one to need it makes
/// it.
final class StoredDriveKey: Sendable {
    static let key = "drive-key"

    private let store: any CacheStore
    private let ring: KeyRing
    private let name: String
    private let now: @Sendable () -> Date
    private let found = Locked<Result<Keypair, KeypairError>?>(nil)

    init(_ ground: Groundwork, sealedWith ring: KeyRing) {
        store = ground.user?.scope.store ?? ground.store(.server)
        name = "drive-key of \(ground.owner)"
        (self.ring, now) = (ring, ground.now)
    }

    /// The result of the last ``keypair()``; `nil` if it has not ended yet.
    var known: Result<Keypair, KeypairError>? { found.withLock(\.self) }

    /// The key, which is made if there is none.
    ///
    /// - Throws: `KeypairError.failed` if the store or the key that seals it cannot be used. The next call tries again.
    func keypair() async throws(KeypairError) -> Keypair {
        if case .success(let keypair) = known { return keypair }
        let result: Result<Keypair, KeypairError>
        do throws(KeypairError) { result = .success(try await read()) } catch { result = .failure(error) }
        found.withLock { $0 = result }
        return try result.get()
    }

    private func read() async throws(KeypairError) -> Keypair {
        var box = try await told { () async throws(StoreError) in try await store.retrieve(Self.key)?.bytes }
        if box == nil { box = try await made() }
        var seed: Data
        do throws(VaultError) { seed = try await ring.open(box ?? Data(), as: name) } catch { throw Self.failed(error) }
        defer { wipe(&seed) }
        return try Keypair(seed: seed)
    }

    /// A new key, or the one that another machine has made meanwhile.
    private func made() async throws(KeypairError) -> Data {
        let box: Data
        do {
            var seed = try SecureRandom.bytes(32)
            defer { wipe(&seed) }
            box = try await ring.seal(seed, as: name)
        } catch { throw Self.failed(error) }
        let entry = StoredEntry(bytes: box, savedAt: now())
        return try await told { () async throws(StoreError) in
            try await store.decide(Self.key) { found throws(StoreError) -> (EntryChange, Data) in
                if let entry = try found.get() { return (.keep, entry.bytes) }
                return (.replace(entry), entry.bytes)
            }
        }
    }

    private func told<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(KeypairError) -> Value {
        do throws(StoreError) { return try await body() } catch { throw Self.failed(error) }
    }

    private static func failed(_ error: any Error) -> KeypairError {
        .failed(reason: "the key of the drive, which is sealed in the shared store, cannot be used: \(error)")
    }
}
