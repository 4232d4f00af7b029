import AquiferCrypto
import Foundation

/// The address of an account: 32 bytes, a point of the curve if someone holds its secret key.
public struct PublicKey: Base58Value {
    /// 32.
    public static let length = 32
    /// The bytes.
    public let bytes: Data

    /// A key of these bytes; `nil` if they are not 32.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }

    /// Whether it is a point of the curve. The addresses that programs own are not.
    public var isOnCurve: Bool { Ed25519.isPoint(bytes) }
}

/// An ed25519 signature: 64 bytes.
public struct Signature: Base58Value {
    /// 64.
    public static let length = 64
    /// The bytes.
    public let bytes: Data

    /// A signature of these bytes; `nil` if they are not 64.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }

    /// Whether it is one of `message` by the holder of `key`.
    public func isValid(of message: Data, by key: PublicKey) -> Bool {
        Ed25519.isValid(bytes, of: message, by: key.bytes)
    }
}

/// What tells a transaction's time: the hash of a recent block. A transaction is good for about a minute after it.
public struct Blockhash: Base58Value {
    /// 32.
    public static let length = 32
    /// The bytes.
    public let bytes: Data

    /// A blockhash of these bytes; `nil` if they are not 32.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }
}

/// The accounts of Solana's own that this library names.
public enum SolanaPrograms {
    /// The system program.
    public static let system = PublicKey(constant: "11111111111111111111111111111111")
    /// The token program.
    public static let token = PublicKey(constant: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
    /// The program of associated token accounts.
    public static let associatedToken = PublicKey(constant: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
    /// The account that tells the rent.
    public static let rent = PublicKey(constant: "SysvarRent111111111111111111111111111111111")
    /// The compute budget program.
    public static let computeBudget = PublicKey(constant: "ComputeBudget111111111111111111111111111111")
}
