import Aquifer
import AquiferFoundation

/// Lists an owner's accounts. The chain gives the number of accounts ever created, and the server describes each one.
/// Deleted accounts are omitted.
struct AccountListLoader: Sendable {
    let api: ShadowDriveAPI
    let rpc: SolanaRPC
    let program: ShadowDriveProgram
    let owner: PublicKey

    /// The number of concurrent requests.
    private static let width = 4
    /// The largest accepted account count. A larger count is treated as invalid data.
    private static let limit: UInt32 = 10_000

    func load() async throws(LoadError) -> AccountList {
        do throws(DriveError) {
            let count =
                try await rpc.account(program.userInfo(of: owner), of: program.id, as: UserInfo.self)?
                .accountCounter ?? 0
            guard count <= Self.limit else {
                throw .invalidData(.body("the chain counts \(count) accounts of one owner"))
            }
            return AccountList(try await all(count))
        } catch { throw error.loadError }
    }

    private func all(_ count: UInt32) async throws(DriveError) -> [StorageAccount] {
        let results = await withTaskGroup(
            of: (UInt32, Result<StorageAccount?, DriveError>).self,
            returning: [UInt32: Result<StorageAccount?, DriveError>].self
        ) { group in
            var next: UInt32 = 0
            var found: [UInt32: Result<StorageAccount?, DriveError>] = [:]
            func startNext() {
                guard next < count else { return }
                let counter = next
                next += 1
                group.addTask { (counter, await result(counter)) }
            }
            for _ in 0..<Self.width { startNext() }
            while let (counter, result) = await group.next() {
                found[counter] = result
                // The first failure decides the outcome, so the other requests are cancelled.
                if case .failure = result { group.cancelAll() } else { startNext() }
            }
            return found
        }
        var accounts: [StorageAccount] = []
        // A request that was cancelled because of another failure does not hide that failure.
        for case .failure(let error) in results.values where error != .cancelled { throw error }
        for counter in 0..<count {
            guard let result = results[counter] else { throw .cancelled }
            if let account = try result.get() { accounts.append(account) }
        }
        return accounts
    }

    private func result(_ counter: UInt32) async -> Result<StorageAccount?, DriveError> {
        do throws(DriveError) { return .success(try await account(counter)) } catch { return .failure(error) }
    }

    /// An account; `nil` if it was deleted. For a deleted account the server refuses, and the chain no longer has it.
    private func account(_ counter: UInt32) async throws(DriveError) -> StorageAccount? {
        let address = program.storageAccount(of: owner, counter: counter)
        do throws(DriveError) {
            return try await api.storageAccountInfo(address)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            guard try await rpc.account(address) == nil else {
                // That the server misses one account says nothing about the list: the saved list may stand in.
                let isMissing = InvalidData.status(refusal.status).trouble == .missing
                throw isMissing ? .invalidData(.body("\(refusal)")) : error
            }
            return nil
        }
    }
}
