import AquiferFoundation

/// The operations that could be read, and the number of those that could not.
public struct FoaasOperations: Sendable, Hashable, Codable {
    /// The operations, in the remote's order; each url once.
    public let operations: [FoaasOperation]
    /// The number of the remote's operations that could not be read.
    public let skipped: Int

    /// A list.
    public init(_ operations: [FoaasOperation], skipped: Int = 0) {
        self.operations = operations
        self.skipped = skipped
    }
}
