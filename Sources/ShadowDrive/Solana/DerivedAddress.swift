import AquiferCrypto
import Foundation

/// The address that a program derives from seeds: a hash that is no point of the curve, so that nobody holds its key.
public struct DerivedAddress: Sendable, Hashable {
    /// The address.
    public let address: PublicKey
    /// The number, counted down from 255, that made the hash leave the curve.
    public let bump: UInt8

    /// The address of these seeds under a program.
    ///
    /// Solana takes at most 16 seeds (the bump is one) of at most 32 bytes each.
    ///
    /// - Returns: `nil` if the seeds are more or longer, or (which nobody has ever seen) if no bump gives an address.
    public init?(seeds: [Data], program: PublicKey) {
        guard seeds.count < 16, seeds.allSatisfy({ $0.count <= 32 }) else { return nil }
        var beginning = SHA256()
        for seed in seeds { beginning.update(seed) }
        for bump in stride(from: UInt8.max, through: 1, by: -1) {
            var hash = beginning
            hash.update(Data([bump]))
            hash.update(program.bytes)
            hash.update(Data("ProgramDerivedAddress".utf8))
            guard let address = PublicKey(bytes: hash.finish()), !address.isOnCurve else { continue }
            self.address = address
            self.bump = bump
            return
        }
        return nil
    }

    /// The account that holds a wallet's tokens of one kind.
    public static func tokenAccount(of wallet: PublicKey, mint: PublicKey) -> PublicKey {
        required([wallet.bytes, SolanaPrograms.token.bytes, mint.bytes], SolanaPrograms.associatedToken)
    }

    /// An address of few short seeds: that some bump of 255 gives one is as sure as that two hashes differ.
    static func required(_ seeds: [Data], _ program: PublicKey) -> PublicKey {
        guard let derived = DerivedAddress(seeds: seeds, program: program) else {
            preconditionFailure("seeds that give no address")
        }
        return derived.address
    }
}
