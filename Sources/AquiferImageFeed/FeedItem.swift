import Aquifer
import AquiferFoundation

/// One picture of the feed, and what its author says of it.
public struct FeedItem: Sendable, Hashable, Identifiable {
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

    /// An item.
    public init(id: UUID, description: String?, location: String?, image: URL) {
        self.init(id: id, description: description, location: location, address: LazyURL(image))
    }

    init(id: UUID, description: String?, location: String?, address: LazyURL) {
        self.id = id
        self.description = description
        self.location = location
        self.address = address
    }
}

extension FeedItem: BinaryCodable {
    /// Identity, description, location, image.
    public static let format: UInt8 = 1

    /// Reads the fields of format 1.
    public init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        id = try reader.uuid()
        description = try reader.optionalString()
        location = try reader.optionalString()
        guard let address = LazyURL(try reader.string()) else {
            throw BinaryReader.Failure("an image address that is not a URL")
        }
        self.address = address
    }

    /// Writes the fields of format 1.
    public func write(to writer: inout BinaryWriter) {
        writer.write(id)
        writer.write(description)
        writer.write(location)
        writer.write(address.absoluteString)
    }
}
