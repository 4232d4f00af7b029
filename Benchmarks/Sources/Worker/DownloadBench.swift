import Aquifer
import AquiferCurl
import Foundation

/// Downloads into files, each time anew.
struct DownloadBench {
    private let downloads: Downloads

    init(folder: URL) throws {
        downloads = try Downloads(
            folder: folder.appending(path: "downloads", directoryHint: .isDirectory),
            client: CurlHTTPClient(configuration: .init(usesProxies: false)), retry: .never)
    }

    /// The seconds until the file of a URL is whole, every block of it vouched for, and flushed to the device.
    func run(_ url: URL, bytes: Int) async throws -> Double {
        let start = ContinuousClock.now
        let file = try await downloads.file(for: url)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard file.length == bytes else { throw Bench.Unknown(words: ["\(file.length) bytes instead of \(bytes)"]) }
        try await downloads.delete(url)
        return seconds
    }
}
