// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Signatures of Network, as far as Examples/SwiftUI names them. See Scripts/check-apple.

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
}
