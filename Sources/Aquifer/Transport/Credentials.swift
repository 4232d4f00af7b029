/// The header fields that show a server who asks.
///
/// They are written nowhere: not into a store, a description, an error or a dump.
///
/// ```swift
/// let credentials = Credentials.bearer(token, owner: "user/4")
/// let others = Credentials(["X-API-Key": key], owner: "this app")
/// ```
public struct Credentials: Sendable, Hashable {
    /// The fields to send.
    package let headers: HTTPHeaders
    /// The user whose credentials they are. A request that was sent for one user is never sent again for another.
    public let owner: String

    /// The credentials in these fields.
    ///
    /// - Parameters:
    ///   - headers: the fields. Each replaces the field of its name in a request.
    ///   - owner: the user, by any name that stays the same when the credentials are renewed, and that no other user has.
    public init(_ headers: HTTPHeaders, owner: String) {
        self.headers = headers
        self.owner = owner
    }

    /// A token in the field `Authorization` (RFC 6750).
    public static func bearer(_ token: String, owner: String) -> Credentials {
        Credentials(["Authorization": "Bearer \(token)"], owner: owner)
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `credentials`, and nothing of them.
    public var description: String { "credentials" }

    /// The word `credentials`, and nothing of them.
    public var debugDescription: String { description }

    /// A mirror without children, so that a dump shows nothing of them.
    public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
