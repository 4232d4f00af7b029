import Aquifer
import AquiferFoundation

/// One picture of the feed, and what its author says of it.
///
/// Author, date, number of comments and size are an extension of the remote's contract: a remote may leave out each of them.
public struct FeedItem: Sendable, Hashable, Identifiable {
    /// The size of a picture.
    public struct Size: Sendable, Hashable {
        /// The width in pixels, from 1 to 100,000.
        public let width: Int
        /// The height in pixels, from 1 to 100,000.
        public let height: Int

        /// A size; `nil` if a side is not from 1 to 100,000 pixels.
        public init?(width: Int, height: Int) {
            let sides = 1...100_000
            guard sides.contains(width), sides.contains(height) else { return nil }
            (self.width, self.height) = (width, height)
        }
    }

    /// The item's identity: pages are asked for by it.
    public let id: UUID
    /// The author's words about the picture.
    public let description: String?
    /// The place where it was taken; may have several lines.
    public let location: String?
    /// The address of the picture: `http` or `https`. It is parsed each time it is asked for.
    public var image: URL { address.url }
    /// A saved feed has thousands, and a screen shows a few.
    package let address: LazyURL
    /// The user name of the author, if the remote names one.
    public let author: String?
    /// The time of the post, if the remote tells it. Only a time in the years 0 to 9999 is saved.
    public let createdAt: Date?
    /// The number of comments when the item was loaded, 0 or more, if the remote tells it.
    public let commentCount: Int?
    /// The size of the picture, if the remote tells it: room for it can be kept before it is there.
    public let size: Size?

    /// An item.
    public init(
        id: UUID, description: String?, location: String?, image: URL, author: String? = nil, createdAt: Date? = nil,
        commentCount: Int? = nil, size: Size? = nil
    ) {
        self.init(
            id: id, description: description, location: location, address: LazyURL(image), author: author,
            createdAt: createdAt, commentCount: commentCount, size: size)
    }

    init(
        id: UUID, description: String?, location: String?, address: LazyURL, author: String?, createdAt: Date?,
        commentCount: Int?, size: Size?
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.address = address
        self.author = author
        self.createdAt = createdAt
        self.commentCount = commentCount
        self.size = size
    }
}

extension FeedItem: BinaryCodable {
    /// Identity, description, location, image, a mark of the fields of the extension, and those that are there.
    public static let format: UInt8 = 2
    /// Format 1 has no fields of the extension.
    public static let oldestFormat: UInt8 = 1

    /// The fields of the extension that an item has.
    private struct Extras: OptionSet {
        let rawValue: UInt64
        static let author = Extras(rawValue: 1)
        static let createdAt = Extras(rawValue: 2)
        static let commentCount = Extras(rawValue: 4)
        static let size = Extras(rawValue: 8)
        static let all: Extras = [.author, .createdAt, .commentCount, .size]
    }

    /// Reads the fields of formats 1 and 2.
    public init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        id = try reader.uuid()
        description = try reader.optionalString()
        location = try reader.optionalString()
        guard let address = LazyURL(try reader.string()) else {
            throw BinaryReader.Failure("an image address that is not a URL")
        }
        self.address = address
        let extras = Extras(rawValue: reader.format == 1 ? 0 : try reader.uint())
        guard extras.isSubset(of: .all) else { throw BinaryReader.Failure("a mark of fields that are not known") }
        author = extras.contains(.author) ? try reader.string() : nil
        createdAt = extras.contains(.createdAt) ? try Self.date(&reader) : nil
        commentCount = extras.contains(.commentCount) ? try Self.count(&reader) : nil
        guard extras.contains(.size) else {
            size = nil
            return
        }
        guard let size = Size(width: try Self.count(&reader), height: try Self.count(&reader)) else {
            throw BinaryReader.Failure("a size that no picture has")
        }
        self.size = size
    }

    private static func date(_ reader: inout BinaryReader) throws(BinaryReader.Failure) -> Date {
        let date = try reader.date()
        guard date.isRFC3339 else { throw BinaryReader.Failure("a date that no answer can tell") }
        return date
    }

    private static func count(_ reader: inout BinaryReader) throws(BinaryReader.Failure) -> Int {
        guard let count = Int(exactly: try reader.uint()) else {
            throw BinaryReader.Failure("a count that is too large")
        }
        return count
    }

    /// Writes the fields of format 2.
    public func write(to writer: inout BinaryWriter) {
        writer.write(id)
        writer.write(description)
        writer.write(location)
        writer.write(address.absoluteString)
        var extras: Extras = []
        if author != nil { extras.insert(.author) }
        if createdAt?.isRFC3339 == true { extras.insert(.createdAt) }
        if commentCount != nil { extras.insert(.commentCount) }
        if size != nil { extras.insert(.size) }
        writer.write(extras.rawValue)
        if let author { writer.write(author) }
        if let createdAt, extras.contains(.createdAt) { writer.write(createdAt) }
        if let commentCount { writer.write(UInt64(clamping: commentCount)) }
        guard let size else { return }
        writer.write(UInt64(clamping: size.width))
        writer.write(UInt64(clamping: size.height))
    }
}
