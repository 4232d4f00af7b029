import AquiferFoundation

/// Maps a JSON answer to a `Decodable` value: the map of a loader or saver whose server needs no more checks.
///
/// ```swift
/// RemoteLoader(HTTPRequest(.get, address), client: client, map: JSONMapper<[Note]>().map)
/// ```
///
/// It does not look at the media type, because many servers send JSON under another one. The page of a Wi-Fi login is no
/// JSON, and is refused all the same. Write a map of your own if a document that can be decoded may still be wrong.
public struct JSONMapper<Value: Decodable>: Sendable {
    private let statuses: ClosedRange<Int>
    private let decoder: JSONDecoder

    /// A map of the answers with these statuses.
    ///
    /// - Parameters:
    ///   - statuses: the statuses of answers that have the value; by default, only 200. Use `200...299` for the answer to
    ///     a `POST`.
    ///   - decoder: the decoder with its strategies. Do not change it afterwards: several tasks use it at once.
    public init(statuses: ClosedRange<Int> = 200...200, decoder: JSONDecoder = JSONDecoder()) {
        self.statuses = statuses
        self.decoder = decoder
    }

    /// The value of an answer.
    ///
    /// - Throws: ``InvalidData/status(_:)`` if the status is another; `DecodingError` if the body is not the JSON of a
    ///   value. Loaders and savers turn both into ``LoadError/invalidData(_:)``, which repeats nothing of the body.
    public func map(_ head: HTTPResponseHead, _ body: Data) throws -> Value {
        guard statuses.contains(head.status) else { throw InvalidData.status(head.status) }
        return try decoder.decode(Value.self, from: body)
    }
}
