import Aquifer
import AquiferFoundation

/// The balances of an owner.
public struct Wallet: Sendable, Hashable {
    /// The balance in shades, which are billionths of a SHDW. They pay for storage.
    public let shades: UInt64
    /// The balance in lamports, which are billionths of a SOL. They pay for transactions.
    public let lamports: UInt64

    /// Creates a wallet.
    public init(shades: UInt64, lamports: UInt64) {
        self.shades = shades
        self.lamports = lamports
    }
}

extension ShadowDriveService {
    /// The owner's balances.
    ///
    /// - Throws: ``DriveError/noKeypair`` if there is no key.
    public func wallet() async throws(DriveError) -> Wallet {
        try await wallet(of: try signer().publicKey)
    }

    /// The balances of any owner.
    public func wallet(of owner: PublicKey) async throws(DriveError) -> Wallet {
        let shades = try await rpc.tokens(in: program.tokenAccount(of: owner))
        return Wallet(shades: shades, lamports: try await rpc.lamports(of: owner))
    }

    /// The time since which tokens of released storage can be claimed; `nil` if there are none.
    public func unstaked(of account: PublicKey) async throws(DriveError) -> UnstakeInfo? {
        try await rpc.account(program.unstakeInfo(of: account), of: program.id)
    }
}
