/// A promise of a contract that was not kept: the error of a contract's check.
public struct ContractViolation: Error, CustomStringConvertible, Sendable {
    /// The promise.
    public let promise: String
    /// The event that broke it.
    public let detail: String

    /// A broken promise.
    public init(_ promise: String, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }

    /// "promise: detail".
    public var description: String { "\(promise): \(detail)" }
}
