import Foundation

/// The use case "save to remote": sends a value once, validates the answer, delivers what it says.
///
/// The mirror of ``RemoteLoader``:
/// - One request is sent, and never again: whether it arrived may be unknown. ``Outbox`` sends until it has.
/// - ``LoadError/connectivity(_:)`` when no whole answer came; ``LoadError/invalidData(_:)`` when the answer is not
///   what the contract says, or larger than the limit, or the value could not be made a request.
/// - A cancelled task cancels the transfer and delivers nothing.
public struct RemoteSaver<Value: Sendable, Answer: Sendable>: Sendable {
    /// Makes a request of a value.
    public typealias Request = @Sendable (Value) throws -> HTTPRequest
    /// Makes what is delivered of an answer, or throws when it is not as the contract says: ``InvalidData`` or any
    /// other error.
    public typealias Map = @Sendable (HTTPResponseHead, Data) throws -> Answer

    private let client: any HTTPClient
    private let limit: Int
    private let request: Request
    private let map: Map

    /// Saves values with a request each.
    ///
    /// - Parameters:
    ///   - client: carries the requests.
    ///   - limit: the most bytes of an answer's body that are taken; 32 MiB unless told otherwise.
    ///   - request: encodes a value.
    ///   - map: judges status, media type and body of the answer.
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
    ///   - value: what to send.
    ///   - onSent: told how many bytes of the request's body have gone out, see ``HTTPRequest/onSent``.
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
