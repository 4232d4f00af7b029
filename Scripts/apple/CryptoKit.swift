// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Signatures of CryptoKit, as far as Examples/SwiftUI names them. See Scripts/check-apple.

import Foundation

public struct SymmetricKeySize: Sendable {
    public static var bits256: SymmetricKeySize { SymmetricKeySize() }
}

public struct SymmetricKey: Sendable {
    public init(size: SymmetricKeySize) {}
}

public struct SHA256Digest: Sendable {}

public struct SHA256: Sendable {
    public static var byteCount: Int { 32 }
    public init() {}
    public static func hash<Bytes: DataProtocol>(data: Bytes) -> SHA256Digest { SHA256Digest() }
}

public struct SHA512: Sendable {}
public enum AES {}
public enum ChaChaPoly {}
public enum Curve25519 {}
public struct HMAC<Hash> {}
public enum Insecure {}
