import Foundation

/// Data too large for memory: in files, resumed after a cut.
extension DataLoader {
    /// Starts a download into a file, or joins the one that is under way: for its progress, its bytes as they come, and
    /// the file once it is whole. See ``Downloads``.
    ///
    /// A loader that was given no `downloads` has no place for files: the download then fails with `.store`.
    public func download(_ url: URL) -> Download {
        downloads?.download(url) ?? Download(DownloadTransfer(url, end: .failure(.noPlace)))
    }

    /// The file of a URL, whole: the saved one while it is fresh, else downloaded, from where an earlier try ended.
    /// Cancelling the calling task leaves the download.
    public func file(for url: URL) async throws(DownloadError) -> DownloadedFile {
        guard let downloads else { throw .noPlace }
        return try await downloads.file(for: url)
    }

    /// What has been downloaded is not fetched a second time, if it is small enough to be had as data.
    func downloaded(_ url: URL) async -> Loaded<Data>? {
        do throws(StoreError) {
            guard let file = try await downloads?.saved(url), file.length <= limit else { return nil }
            let source = LoadSource.cache(savedAt: file.savedAt, because: nil)
            return Loaded(try await file.read(0..<file.length), source: source, savedAt: file.savedAt)
        } catch {
            // A damaged file is no reason not to ask the remote.
            return nil
        }
    }
}

extension DownloadError {
    fileprivate static let noPlace = DownloadError.store(
        .failed(operation: "download to a file", reason: "the loader was given no downloads"))
}
