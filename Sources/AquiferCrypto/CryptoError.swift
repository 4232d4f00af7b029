/// Why something could not be sealed or opened. It holds no key and no content.
public enum CryptoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cryptographic library could not be made ready: the system gives it no random bytes.
    case notReady
    /// A key has another length.
    case wrongKeyLength(expected: Int)
    /// The sealed data was changed, cut, sealed with another key, or goes with another header.
    case notAuthentic

    /// One line.
    public var description: String {
        switch self {
        case .notReady: "the cryptographic library found no source of random bytes"
        case .wrongKeyLength(let expected): "a key has \(expected) bytes"
        case .notAuthentic: "it was changed, or sealed with another key"
        }
    }
}
