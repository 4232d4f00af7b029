import AquiferFoundation

/// Converts a value to bytes and back.
public struct CacheCodec<Value: Sendable>: Sendable {
    /// Encodes a value.
    public var encode: @Sendable (Value) throws -> Data
    /// Decodes a value, and throws when `encode` did not make the bytes.
    public var decode: @Sendable (Data) throws -> Value

    /// A codec of two functions.
    public init(
        encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension CacheCodec where Value: Codable {
    /// JSON, for any `Codable` type: the easiest codec. Dates are stored as seconds in full precision.
    public static var json: CacheCodec {
        CacheCodec(encode: { try JSONEncoder().encode($0) }, decode: { try JSONDecoder().decode(Value.self, from: $0) })
    }
}

extension CacheCodec where Value == Data {
    /// The bytes themselves.
    public static var raw: CacheCodec { CacheCodec(encode: { $0 }, decode: { $0 }) }
}

extension CacheCodec where Value: BinaryCodable {
    /// The value's own compact form. For values of thousands of items it is several times as fast as JSON.
    public static var binary: CacheCodec {
        CacheCodec(encode: { BinaryWriter.encode($0) }, decode: { try BinaryReader.decode($0) })
    }
}
