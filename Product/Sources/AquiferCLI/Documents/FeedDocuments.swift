import AquiferImageFeed
import Foundation

/// A comment on a picture.
struct CommentDocument: Encodable {
    /// The author of a comment.
    struct Author: Encodable {
        let username: String
    }

    let id: String
    let message: String
    let createdAt: Date
    let author: Author

    init(_ comment: ImageComment) {
        id = comment.id.uuidString
        message = comment.message
        createdAt = comment.createdAt
        author = Author(username: comment.author)
    }
}

/// A file that a command wrote.
struct FileDocument: Encodable {
    let file: String
    let bytes: UInt64
}
