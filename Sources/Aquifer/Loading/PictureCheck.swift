import AquiferFoundation

/// Recognizes pictures by their first bytes. Bytes that browsers do not draw are not worth saving.
public enum PictureCheck {
    /// The media type of the picture; `nil` when the bytes are no picture that browsers draw.
    public static func mediaType(of data: Data) -> String? {
        let start = Array(data.prefix(64))
        func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool { start.dropFirst(offset).starts(with: bytes) }
        if begins([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if begins(Array("GIF8".utf8)) { return "image/gif" }
        if begins(Array("RIFF".utf8)) && begins(Array("WEBP".utf8), at: 8) { return "image/webp" }
        if begins(Array("ftyp".utf8), at: 4) {
            // The box has its length, its kind, the main brand with a version, and the compatible brands.
            let length = start.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let brands = [8] + stride(from: 16, to: min(length, start.count), by: 4)
            if brands.contains(where: { begins(Array("avif".utf8), at: $0) || begins(Array("avis".utf8), at: $0) }) {
                return "image/avif"
            }
        }
        return nil
    }

    /// Throws ``InvalidData`` unless the answer is 200 and a picture.
    public static func check(_ head: HTTPResponseHead, _ data: Data) throws {
        try DataLoader.defaultCheck(head, data)
        guard mediaType(of: data) != nil else { throw InvalidData.body("the body is no picture") }
    }
}
