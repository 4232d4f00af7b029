import Foundation

/// How far a download has come.
public struct DownloadProgress: Sendable, Hashable {
    /// The bytes that are there.
    public var received: Int
    /// The bytes of the whole; `nil` when the server has not said.
    public var total: Int?

    /// A progress.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }

    /// Received of total, 0 … 1; `nil` when the total is not known.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(received) / Double($0) }
    }
}

/// One transfer of a URL, as those see it who wait for it. `DownloadFetch` carries it out.
final class DownloadTransfer: Sendable {
    struct State: Sendable {
        /// The bytes as they come; `nil` until a server has confirmed that they are the latest.
        var growing: POSIX.File?
        /// How often it began from the first byte: bytes of two beginnings are never put together.
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

    /// Bytes can be followed from here on: those of a part that the server has confirmed.
    func follow(_ part: PartialFile) {
        let (data, progress) = (part.data, DownloadProgress(received: part.received, total: part.record.total))
        state.update { state in
            if state.growing !== data { state.beginning += 1 }
            state.growing = data
            state.progress = progress
        }
    }

    func received(_ count: Int) {
        state.update { $0.progress.received += count }
    }

    /// Another process has come so far.
    func follow(received: Int, total: Int?) {
        state.update { $0.progress = DownloadProgress(received: received, total: total) }
    }

    func finish(_ end: Result<DownloadedFile, DownloadError>) {
        state.update { state in
            if case .success(let file) = end {
                state.progress = DownloadProgress(received: file.length, total: file.length)
            }
            state.end = end
        }
    }
}
