// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Signatures of Network, as far as Examples/SwiftUI and Aquifer name them. See Scripts/check-apple.

import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
}

public final class NWPathMonitor {
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public init() {}
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
