import AquiferFoundation

/// The program of Shadow Drive on Solana and its related accounts. The addresses are always the same, except in tests:
/// a reference remote signs with its own uploader.
public struct ShadowDriveProgram: Sendable, Hashable {
    /// The program.
    public var id: PublicKey
    /// The mint of the token that pays for storage (SHDW).
    public var mint: PublicKey
    /// The server's key, which signs beside the owner.
    public var uploader: PublicKey
    /// The wallet that receives the fees.
    public var emissions: PublicKey

    /// The program of Shadow Drive v1.
    public static let v1 = ShadowDriveProgram(
        id: PublicKey(constant: "2e1wdyNhUvE76y6yUCvah2KaviavMJYKoRun8acMRBZZ"),
        mint: PublicKey(constant: "SHDWyBxihqiCj6YekG2GUr7wqKLeLAMK1gHZck9pL6y"),
        uploader: PublicKey(constant: "972oJTFyjmVNsWM4GHEGPWUomAiJf2qrVotLtwnKmWem"),
        emissions: PublicKey(constant: "SHDWRWMZ6kmRG9CvKFSD7kVcnUqXMtd3SaMrLvWscbj"))

    /// The program of Shadow Drive v1 with another server's key.
    public static func v1(uploader: PublicKey) -> ShadowDriveProgram {
        var program = v1
        program.uploader = uploader
        return program
    }

    /// Creates a program with its related accounts.
    public init(id: PublicKey, mint: PublicKey, uploader: PublicKey, emissions: PublicKey) {
        self.id = id
        self.mint = mint
        self.uploader = uploader
        self.emissions = emissions
    }

    // MARK: Derived addresses

    /// The account of the program's prices and limits.
    public var storageConfig: PublicKey { derived("storage-config") }

    /// The account that counts an owner's storage accounts.
    public func userInfo(of owner: PublicKey) -> PublicKey { derived("user-info", owner.bytes) }

    /// An owner's storage account with this number. The numbers start at 0.
    public func storageAccount(of owner: PublicKey, counter: UInt32) -> PublicKey {
        derived("storage-account", owner.bytes, withUnsafeBytes(of: counter.littleEndian) { Data($0) })
    }

    /// The account of the tokens staked for a storage account.
    public func stakeAccount(of account: PublicKey) -> PublicKey { derived("stake-account", account.bytes) }

    /// The account of the unstaked tokens that can be claimed later.
    public func unstakeAccount(of account: PublicKey) -> PublicKey { derived("unstake-account", account.bytes) }

    /// The account with the time of the unstaking.
    public func unstakeInfo(of account: PublicKey) -> PublicKey { derived("unstake-info", account.bytes) }

    /// The account of the owner's tokens.
    public func tokenAccount(of owner: PublicKey) -> PublicKey {
        DerivedAddress.tokenAccount(of: owner, mint: mint)
    }

    private func derived(_ title: String, _ seeds: Data...) -> PublicKey {
        DerivedAddress.required([Data(title.utf8)] + seeds, id)
    }
}
