// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Signatures of the engine's, as far as the files that call the system use them. See Scripts/check-apple.

public struct TransportError: Error {
    public enum Kind: Sendable { case cannotConnect }
    public init(_ kind: Kind, _ reason: String) {}
}
