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
    /// The address of the picture: `http` or `https`.
    public let image: URL

    /// An item.
    public init(id: UUID, description: String?, location: String?, image: URL) {
        self.id = id
        self.description = description
        self.location = location
        self.image = image
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
        let text = try reader.string()
        guard let url = URL(string: text) else { throw BinaryReader.Failure("an image address that is not a URL") }
        image = url
    }

    /// Writes the fields of format 1.
    public func write(to writer: inout BinaryWriter) {
        writer.write(id)
        writer.write(description)
        writer.write(location)
        writer.write(image.absoluteString)
    }
}
