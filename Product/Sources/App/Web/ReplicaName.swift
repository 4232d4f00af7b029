import Foundation
import HTTPServer

/// The name of this process among the replicas behind a proxy.
///
/// The screens of a tab are in the memory of one replica: the one that its event stream comes from. A proxy may give what the tab says
/// to another one, for example to a replica that has come back. Nobody looks at the screens there, so what was said would be lost without
/// a word. A page therefore says to whom it speaks, and any other replica refuses. The page then connects its stream again, which the
/// proxy gives to the same replica as its requests.
struct ReplicaName: Sendable {
    /// The header of the name, in event streams and in what pages say.
    static let header = "Aquifer-Replica"

    private let name: String

    /// - Parameter name: A name that no other process has, nor this one when it is started again.
    init(_ name: String = UUID().uuidString) {
        self.name = name
    }

    /// The answer to a request that was meant for another replica; `nil` for all others. Nothing was done then.
    func refusal(of request: ServerRequest) -> ServerResponse? {
        guard let meant = request.headers[Self.header], meant != name else { return nil }
        return .problem(421, "replica", "another process has these screens; connect to their events again")
    }

    /// An answer with the name of this replica.
    func signed(_ response: ServerResponse) -> ServerResponse {
        var response = response
        response.headers[Self.header] = name
        return response
    }
}
