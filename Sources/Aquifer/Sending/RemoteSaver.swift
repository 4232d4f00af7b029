import AquiferFoundation

/// The use case "save to remote": sends a value once, validates the answer, and delivers its value.
///
/// The mirror of ``RemoteLoader``:
/// - One request is sent, and never repeated. Without an answer it is unknown whether the request arrived. Use
///   ``Outbox`` to send until it has.
/// - It throws ``LoadError/connectivity(_:)`` when no complete answer arrives, and ``LoadError/invalidData(_:)`` when
///   the answer breaks the contract, is larger than the limit, or the value cannot be encoded as a request.
/// - A cancelled task cancels the transfer and delivers nothing.
public struct RemoteSaver<Value: Sendable, Answer: Sendable>: Sendable {
    /// Encodes a value as a request.
    public typealias Request = @Sendable (Value) throws -> HTTPRequest
    /// Maps an answer to the delivered value. Throws ``InvalidData`` or any other error when the answer breaks the
    /// contract.
    public typealias Map = @Sendable (HTTPResponseHead, Data) throws -> Answer

    private let client: any HTTPClient
    private let limit: Int
    private let request: Request
    private let map: Map

    /// Saves values with a request each.
    ///
    /// - Parameters:
    ///   - client: the client that carries out the requests.
    ///   - limit: the maximum length of an answer's body in bytes; by default, 32 MiB.
    ///   - request: encodes a value.
    ///   - map: validates the status, media type and body of the answer.
    public init(
        client: any HTTPClient, limit: Int = 32 << 20, request: @escaping Request, map: @escaping Map
    ) {
        self.client = client
        self.limit = limit
        self.request = request
        self.map = map
    }

    /// Sends a value.
    ///
    /// - Parameters:
    ///   - value: the value to send.
    ///   - onSent: receives the number of bytes of the request's body that have been sent, see ``HTTPRequest/onSent``.
    /// - Throws: ``LoadError/connectivity(_:)``: the request may have arrived or not; ``LoadError/invalidData(_:)``: the answer
    ///   breaks the contract or the limit, or the value cannot be encoded, and then nothing was sent;
    ///   ``LoadError/cancelled``.
    public func save(
        _ value: Value, onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(LoadError) -> Answer {
        var request: HTTPRequest
        do { request = try self.request(value) } catch { throw .invalidData(InvalidData(mapping: error)) }
        if let onSent { request.onSent = onSent }
        let (head, body): (HTTPResponseHead, Data)
        do throws(TransportError) {
            let response = try await client.send(request)
            (head, body) = (response.head, try await response.data(upTo: limit))
        } catch { throw LoadError(error) }
        do { return try map(head, body) } catch { throw .invalidData(InvalidData(mapping: error)) }
    }
}
