import Foundation

@testable import App

/// The shape of a JSON value, as pages see it.
indirect enum Shape {
    case text
    case number
    case boolean
    /// One of these texts.
    case choice([String])
    case list(Shape)
    case table(Shape)
    case orNull(Shape)
    case object(name: String, keys: [(key: String, shape: Shape)])

    /// The shape of a type: what it asks a decoder for.
    static func of<Value: Decodable>(_ type: Value.Type) throws -> Shape { try sample(type).shape }

    /// A type's shape, and any value of it.
    fileprivate static func sample<Value: Decodable>(_ type: Value.Type) throws -> (shape: Shape, value: Value) {
        func known(_ shape: Shape, _ value: Any) throws -> (Shape, Value) {
            guard let value = value as? Value else { throw UnknownShape(type: "\(type)") }
            return (shape, value)
        }
        switch type {
        case is String.Type: return try known(.text, "")
        case is UUID.Type: return try known(.text, UUID())
        case is Bool.Type: return try known(.boolean, false)
        case is Int.Type: return try known(.number, 0)
        case is UInt64.Type: return try known(.number, UInt64(0))
        case is Double.Type: return try known(.number, 0.0)
        case let shaped as any Shaped.Type:
            let (shape, value) = try shaped.sampled()
            return try known(shape, value)
        case let choice as any CaseIterable.Type:
            let values = cases(choice)
            return try known(.choice(values.compactMap(raw)), values.first ?? "")
        default:
            let keys = Keys()
            let value = try type.init(from: Recorder(keys: keys))
            return (.object(name: name(of: type), keys: keys.found), value)
        }
    }

    private static func cases<Choice: CaseIterable>(_ type: Choice.Type) -> [Any] { Array(type.allCases) }

    private static func raw(_ value: Any) -> String? { (value as? any RawRepresentable)?.rawValue as? String }

    /// `FeedState` for `App.FeedScreen.State`.
    private static func name(of type: Any.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst()
            .map { $0.replacing(/(Screen|API)$/, with: "") }.joined()
    }
}

/// A type that none of the rules covers.
struct UnknownShape: Error { let type: String }

/// A generic type with a shape of its own.
private protocol Shaped { static func sampled() throws -> (Shape, Any) }

extension OrNull: Shaped where Value: Decodable {
    static func sampled() throws -> (Shape, Any) {
        let (shape, value) = try Shape.sample(Value.self)
        return (.orNull(shape), OrNull(wrappedValue: value))
    }
}

extension Array: Shaped where Element: Decodable {
    static func sampled() throws -> (Shape, Any) { (.list(try Shape.of(Element.self)), [Element]()) }
}

extension Dictionary: Shaped where Key == String, Value: Decodable {
    static func sampled() throws -> (Shape, Any) { (.table(try Shape.of(Value.self)), [String: Value]()) }
}

/// The keys that a type asked for, in their order.
private final class Keys {
    var found: [(key: String, shape: Shape)] = []
}

/// Notes what a type asks for, and gives it any value.
private struct Recorder: Decoder {
    let keys: Keys
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container<Key>(keys: keys))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw UnknownShape(type: "a list without keys") }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw UnknownShape(type: "a value") }

    struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let keys: Keys
        let codingPath: [any CodingKey] = []
        let allKeys: [Key] = []

        func contains(_ key: Key) -> Bool { true }
        /// Only a plain optional asks, and it would be left out of the JSON instead of being null.
        func decodeNil(forKey key: Key) throws -> Bool { throw UnknownShape(type: "an optional without @OrNull") }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let (shape, value) = try Shape.sample(type)
            keys.found.append((key.stringValue, shape))
            return value
        }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try note(type, key) }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try note(type, key) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try note(type, key) }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try note(type, key) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try note(type, key) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try note(type, key) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try note(type, key) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try note(type, key) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try note(type, key) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try note(type, key) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try note(type, key) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try note(type, key) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try note(type, key) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try note(type, key) }
        private func note<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
            let (shape, value) = try Shape.sample(type)
            keys.found.append((key.stringValue, shape))
            return value
        }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
            -> KeyedDecodingContainer<Nested>
        { throw UnknownShape(type: "a nested container") }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw UnknownShape(type: "a nested container")
        }
        func superDecoder() throws -> any Decoder { throw UnknownShape(type: "a class") }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw UnknownShape(type: "a class") }
    }
}
