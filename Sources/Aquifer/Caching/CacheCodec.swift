import Foundation

/// How a value becomes bytes, and bytes a value.
public struct CacheCodec<Value: Sendable>: Sendable {
    /// Makes bytes of a value.
    public var encode: @Sendable (Value) throws -> Data
    /// Makes a value of bytes, or throws when they are not what `encode` makes.
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
    /// JSON, of any `Codable`: the easiest. Dates are kept as seconds in full precision.
    public static var json: CacheCodec {
        CacheCodec(encode: { try JSONEncoder().encode($0) }, decode: { try JSONDecoder().decode(Value.self, from: $0) })
    }
}

extension CacheCodec where Value == Data {
    /// The bytes themselves.
    public static var raw: CacheCodec { CacheCodec(encode: { $0 }, decode: { $0 }) }
}

extension CacheCodec where Value: BinaryCodable {
    /// A compact form written by hand: for values of thousands of items, several times as fast as JSON.
    public static var binary: CacheCodec {
        CacheCodec(encode: { BinaryWriter.encode($0) }, decode: { try BinaryReader.decode($0) })
    }
}
