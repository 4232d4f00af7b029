// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declarations that the files that call the system use. See Scripts/check-apple. Embedded Swift has no concurrency
// for Apple's systems, and no protocols as types.

public final class SerialExecutor: Sendable {}

public struct TransportError: Error {
    public enum Kind { case cannotConnect }
    public init(_ kind: Kind, _ detail: String) {}
}
