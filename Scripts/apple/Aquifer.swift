// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declarations of the engine that other modules' files that call the system use. See Scripts/check-apple.

public struct TransportError: Error, Sendable {
    public enum Kind: Sendable { case cannotConnect }
    public init(_ kind: Kind, _ detail: String = "") {}
}
