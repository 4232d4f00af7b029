import Aquifer
import AquiferCurl
import AquiferURLSession
import Foundation

/// The clients. Each is kept from round to round, and so are its connections.
struct Clients {
    private let curl = CurlHTTPClient(configuration: .init(usesProxies: false))
    private let session = URLSessionHTTPClient()

    /// Loads a URL `count` times, `width` at once. Returns the seconds of one load: the whole time divided by `count`.
    func run(_ name: String, _ width: Int, _ count: Int, _ url: URL) async throws -> Double {
        let client: any HTTPClient =
            switch name {
            case "curl": curl
            case "urlsession": session
            default: throw Bench.Unknown(words: [name])
            }
        let request = HTTPRequest(.get, url)
        let each = count / width
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                group.addTask {
                    for _ in 0..<each {
                        let response = try await client.send(request)
                        let body = try await response.data(upTo: 1 << 20)
                        guard response.head.status == 200, body.count == 1024 else {
                            throw Bench.Unknown(words: ["status \(response.head.status), \(body.count) bytes"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return (ContinuousClock.now - start) / .seconds(1) / Double(each * width)
    }
}
