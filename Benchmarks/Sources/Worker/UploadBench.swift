import Aquifer
import AquiferCurl
import Foundation

/// Uploads a file as it is read.
struct UploadBench {
    private let client = CurlHTTPClient(configuration: .init(usesProxies: false))

    /// The seconds until the server has answered, and the bytes of memory that the upload took at most.
    func run(_ url: URL, _ file: URL, bytes: Int) async throws -> [Double] {
        let body = HTTPBody(parts: [.file(file, offset: 0, length: UInt64(bytes))])
        let request = HTTPRequest(.put, url, body: body)
        let start = ContinuousClock.now
        let memory = try await MemoryPeak.beyondRest {
            let response = try await client.send(request)
            _ = try await response.data(upTo: 1 << 20)
            guard (200..<300).contains(response.head.status) else {
                throw Bench.Unknown(words: ["status \(response.head.status)"])
            }
        }
        return [(ContinuousClock.now - start) / .seconds(1), memory.peak]
    }
}
