import AquiferCrypto
import AquiferFoundation

/// The address of an account: 32 bytes. An address with a secret key is a point of the curve.
public struct PublicKey: Base58Value {
    /// 32.
    public static let length = 32
    /// The bytes.
    public let bytes: Data

    /// Creates a key from its bytes; `nil` if there are not 32.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }

    /// True if the key is a point of the curve. The addresses that programs derive are not.
    public var isOnCurve: Bool { Ed25519.isPoint(bytes) }
}

/// An ed25519 signature: 64 bytes.
public struct Signature: Base58Value {
    /// 64.
    public static let length = 64
    /// The bytes.
    public let bytes: Data

    /// Creates a signature from its bytes; `nil` if there are not 64.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }

    /// True if the signature of `message` was made by the holder of `key`.
    public func isValid(of message: Data, by key: PublicKey) -> Bool {
        Ed25519.isValid(bytes, of: message, by: key.bytes)
    }
}

/// The hash of a recent block, which dates a transaction. A transaction is valid for about a minute after that block.
public struct Blockhash: Base58Value {
    /// 32.
    public static let length = 32
    /// The bytes.
    public let bytes: Data

    /// Creates a blockhash from its bytes; `nil` if there are not 32.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }
}

/// The accounts of Solana itself that this library uses.
public enum SolanaPrograms {
    /// The system program.
    public static let system = PublicKey(constant: "11111111111111111111111111111111")
    /// The token program.
    public static let token = PublicKey(constant: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
    /// The program of associated token accounts.
    public static let associatedToken = PublicKey(constant: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
    /// The account with the rent parameters.
    public static let rent = PublicKey(constant: "SysvarRent111111111111111111111111111111111")
    /// The compute budget program.
    public static let computeBudget = PublicKey(constant: "ComputeBudget111111111111111111111111111111")
}
