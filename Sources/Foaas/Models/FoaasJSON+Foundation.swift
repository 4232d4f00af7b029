import Foundation

/// JSON as dictionaries of objects, which is the form that ``JSONConvertible`` specifies. Only full Foundation has it.
enum FoaasJSON {
    /// The document as arrays and dictionaries of objects.
    static func objects(_ data: Data) throws -> Any { try JSONSerialization.jsonObject(with: data) }

    /// The document of an object, always the same for the same object.
    static func data(_ object: [String: AnyObject]) throws -> Data {
        try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    }
}
