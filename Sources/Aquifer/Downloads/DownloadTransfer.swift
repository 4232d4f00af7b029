import AquiferFoundation

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes on disk.
    public var received: Int
    /// The length of the complete file in bytes; `nil` when the server has not announced it.
    public var total: Int?

    /// A progress.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }

    /// The received share of the total, 0 … 1; `nil` when the total is not known.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(received) / Double($0) }
    }
}

/// One transfer of a URL, as its waiting callers see it. `DownloadFetch` carries it out.
final class DownloadTransfer: Sendable {
    struct State: Sendable {
        /// The growing file's bytes; `nil` until a server has confirmed that they are the latest.
        var growing: GrowingBlocks?
        /// The number of times that the transfer began from the first byte. Bytes of two beginnings are never mixed.
        var beginning = 0
        var progress = DownloadProgress(received: 0, total: nil)
        var end: Result<DownloadedFile, DownloadError>?
    }

    let url: URL
    let state: Changing<State>

    init(_ url: URL, end: Result<DownloadedFile, DownloadError>? = nil) {
        self.url = url
        state = Changing(State(end: end))
    }

    /// Lets readers follow the bytes of a partial file that the server has confirmed.
    func follow(_ part: PartialFile) {
        let (blocks, progress) = (part.blocks, DownloadProgress(received: part.received, total: part.record.total))
        state.update { state in
            if state.growing !== blocks { state.beginning += 1 }
            state.growing = blocks
            state.progress = progress
        }
    }

    func received(_ count: Int) {
        state.update { $0.progress.received += count }
    }

    /// Reports the progress of another process.
    func follow(_ progress: DownloadProgress) {
        state.update { $0.progress = progress }
    }

    func finish(_ end: Result<DownloadedFile, DownloadError>) {
        state.update { state in
            if case .success(let file) = end {
                state.progress = DownloadProgress(received: file.length, total: file.length)
                state.growing = nil
            }
            state.end = end
        }
    }
}
