import Aquifer

/// A client on a machine without a network.
struct OfflineClient: HTTPClient {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.offline, "--offline was given")
    }
}
