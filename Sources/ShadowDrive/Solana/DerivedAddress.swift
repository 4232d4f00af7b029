import AquiferCrypto
import AquiferFoundation

/// The address that a program derives from seeds. It is a hash that is not a point of the curve, so nobody holds its
/// secret key.
public struct DerivedAddress: Sendable, Hashable {
    /// The address.
    public let address: PublicKey
    /// The number, counted down from 255, for which the hash is not a point of the curve.
    public let bump: UInt8

    /// Derives the address of seeds under a program.
    ///
    /// Solana accepts at most 16 seeds of at most 32 bytes each. The bump is one of them.
    ///
    /// - Returns: `nil` if there are too many seeds, if a seed is too long, or if no bump gives an address. The last
    ///   case has never been observed.
    public init?(seeds: [Data], program: PublicKey) {
        guard seeds.count < 16, seeds.allSatisfy({ $0.count <= 32 }) else { return nil }
        var beginning = SHA256Hash()
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

    /// The account that holds a wallet's tokens of one mint.
    public static func tokenAccount(of wallet: PublicKey, mint: PublicKey) -> PublicKey {
        required([wallet.bytes, SolanaPrograms.token.bytes, mint.bytes], SolanaPrograms.associatedToken)
    }

    /// The address of a few short seeds. It stops the program if none of the 255 bumps gives an address, which is as
    /// improbable as a collision of two hashes.
    static func required(_ seeds: [Data], _ program: PublicKey) -> PublicKey {
        guard let derived = DerivedAddress(seeds: seeds, program: program) else {
            preconditionFailure("seeds that give no address")
        }
        return derived.address
    }
}
