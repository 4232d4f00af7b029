import Aquifer
import AquiferFoundation

/// One picture of the feed, and what its author says of it.
///
/// Author, date, number of comments, size and variants are an extension of the remote's contract: a remote may leave out each of them.
public struct FeedItem: Sendable, Hashable, Identifiable {
    /// The size of a picture.
    public struct Size: Sendable, Hashable {
        /// The width in pixels, from 1 to 100,000.
        public let width: Int
        /// The height in pixels, from 1 to 100,000.
        public let height: Int

        /// A size; `nil` if a side is not from 1 to 100,000 pixels.
        public init?(width: Int, height: Int) {
            guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
            (self.width, self.height) = (width, height)
        }

        static let sides = 1...100_000
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
    /// The smaller forms of the picture that the remote offers, at most 16, from the smallest to the largest.
    public let variants: [Variant]

    /// An item.
    public init(
        id: UUID, description: String?, location: String?, image: URL, author: String? = nil, createdAt: Date? = nil,
        commentCount: Int? = nil, size: Size? = nil, variants: [Variant] = []
    ) {
        self.init(
            id: id, description: description, location: location, address: LazyURL(image), author: author,
            createdAt: createdAt, commentCount: commentCount, size: size, variants: variants)
    }

    init(
        id: UUID, description: String?, location: String?, address: LazyURL, author: String?, createdAt: Date?,
        commentCount: Int?, size: Size?, variants: [Variant]
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.address = address
        self.author = author
        self.createdAt = createdAt
        self.commentCount = commentCount
        self.size = size
        self.variants =
            variants.count > 1 ? Array(variants.sorted { $0.width < $1.width }.prefix(Self.mostVariants)) : variants
    }

    static let mostVariants = 16
}

extension FeedItem: BinaryCodable {
    /// Identity, description, location, image, a mark of the fields of the extension, and those that are there.
    public static let format: UInt8 = 3

    /// The fields of the extension that an item has.
    private struct Extras: OptionSet {
        let rawValue: UInt64
        static let author = Extras(rawValue: 1)
        static let createdAt = Extras(rawValue: 2)
        static let commentCount = Extras(rawValue: 4)
        static let size = Extras(rawValue: 8)
        static let variants = Extras(rawValue: 16)
        static let all: Extras = [.author, .createdAt, .commentCount, .size, .variants]
    }

    /// Reads the fields.
    public init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        id = try reader.uuid()
        description = try reader.optionalString()
        location = try reader.optionalString()
        guard let address = LazyURL(try reader.string()) else {
            throw BinaryReader.Failure("an image address that is not a URL")
        }
        self.address = address
        let extras = Extras(rawValue: try reader.uint())
        guard extras.isSubset(of: .all) else {
            throw BinaryReader.Failure("a mark of fields that are not known")
        }
        author = extras.contains(.author) ? try reader.string() : nil
        createdAt = extras.contains(.createdAt) ? try Self.date(&reader) : nil
        commentCount = extras.contains(.commentCount) ? try Self.count(&reader) : nil
        size = extras.contains(.size) ? try Self.size(&reader) : nil
        variants = extras.contains(.variants) ? try Self.variants(&reader) : []
    }

    private static func size(_ reader: inout BinaryReader) throws(BinaryReader.Failure) -> Size {
        guard let size = Size(width: try count(&reader), height: try count(&reader)) else {
            throw BinaryReader.Failure("a size that no picture has")
        }
        return size
    }

    private static func variants(_ reader: inout BinaryReader) throws(BinaryReader.Failure) -> [Variant] {
        let number = try count(&reader)
        guard (1...mostVariants).contains(number) else {
            throw BinaryReader.Failure("a number of variants that no item has")
        }
        var variants: [Variant] = []
        for _ in 0..<number {
            guard let address = LazyURL(try reader.string()),
                let variant = Variant(address: address, width: try count(&reader)),
                variant.width >= variants.last?.width ?? 0
            else { throw BinaryReader.Failure("a variant that no picture has") }
            variants.append(variant)
        }
        return variants
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

    /// Writes the fields of format 3.
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
        if !variants.isEmpty { extras.insert(.variants) }
        writer.write(extras.rawValue)
        if let author { writer.write(author) }
        if let createdAt, extras.contains(.createdAt) { writer.write(createdAt) }
        if let commentCount { writer.write(UInt64(clamping: commentCount)) }
        if let size {
            writer.write(UInt64(clamping: size.width))
            writer.write(UInt64(clamping: size.height))
        }
        guard !variants.isEmpty else { return }
        writer.write(UInt64(clamping: variants.count))
        for variant in variants {
            writer.write(variant.address.absoluteString)
            writer.write(UInt64(clamping: variant.width))
        }
    }
}
