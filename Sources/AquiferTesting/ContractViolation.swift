/// A promise of a contract that was not kept.
public struct ContractViolation: Error, CustomStringConvertible, Sendable {
    /// The promise, as the contract states it.
    public let promise: String
    /// What happened instead.
    public let detail: String

    /// A broken promise.
    public init(_ promise: String, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }

    /// The promise and what happened instead.
    public var description: String { "\(promise): \(detail)" }
}
