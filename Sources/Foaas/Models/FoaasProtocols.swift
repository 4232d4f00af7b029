import AquiferFoundation

/// A model that is made of a JSON object, and can become one again.
///
/// The dictionary's values are those that `JSONSerialization` reads and writes: texts, numbers, arrays, dictionaries. A
/// dictionary is made and used on the spot, never kept or handed to another task: models are `Sendable`, dictionaries
/// of objects are not.
public protocol JSONConvertible {
    /// The model that the object describes; `nil` when it describes none.
    init?(json: [String: AnyObject])
    /// The object that describes the model.
    func toJson() -> [String: AnyObject]
}

/// A model that is made of bytes, and can become bytes again: for keeping it in `UserDefaults`.
public protocol DataConvertible {
    /// The model that the bytes describe; `nil` when they describe none.
    init?(data: Data)
    /// The bytes that describe the model.
    ///
    /// - Throws: when the model has no such bytes.
    func toData() throws -> Data
}

extension DataConvertible where Self: JSONConvertible {
    /// The model that a JSON document describes.
    public init?(data: Data) {
        // A document that is not JSON describes no model.
        guard let json = try? FoaasJSON.objects(data) as? [String: AnyObject] else { return nil }
        self.init(json: json)
    }

    /// The model as a JSON document, always the same for the same model.
    public func toData() throws -> Data {
        try FoaasJSON.data(toJson())
    }
}
