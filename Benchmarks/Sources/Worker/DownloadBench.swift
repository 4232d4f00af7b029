import Aquifer
import AquiferCurl
import Foundation

/// Downloads into files, each time anew.
struct DownloadBench {
    private let process: Downloads
    private let power: Downloads

    init(folder: URL) throws {
        let folder = folder.appending(path: "downloads", directoryHint: .isDirectory)
        let client = CurlHTTPClient(configuration: .init(usesProxies: false))
        process = try Downloads(directory: folder, client: client, retry: .never)
        power = try Downloads(directory: folder, client: client, retry: .never, durability: .power)
    }

    /// The seconds until the file of a URL is delivered, every block of it with its checksum.
    func run(_ durability: String, _ url: URL, bytes: Int) async throws -> Double {
        let downloads = durability == "power" ? power : process
        let start = ContinuousClock.now
        let file = try await downloads.file(for: url)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard file.length == bytes else { throw Bench.Unknown(words: ["\(file.length) bytes instead of \(bytes)"]) }
        try await downloads.delete(url)
        return seconds
    }
}
