import App
import Foundation

/// A user of `aquifer serve`.
struct UserDocument: Encodable {
    let name: String
    /// The number of tokens that let the user in.
    let tokens: Int
    /// True while the user is being removed.
    let isLeaving: Bool

    init(_ user: UserRecord) {
        (name, tokens, isLeaving) = (user.name, user.tokens.count, user.isLeaving)
    }
}

/// The link of a user, which is shown once.
struct UserLinkDocument: Encodable {
    let name: String
    let token: String
    let link: String
}

/// The link of a server with one user.
struct ServerLinkDocument: Encodable {
    let token: String
    let link: String
}

/// The tokens of a user that were ended.
struct UserTokensDocument: Encodable {
    let name: String
    let ended: Int
}
