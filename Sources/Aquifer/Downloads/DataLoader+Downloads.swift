import AquiferFoundation

/// Loading data that is too large for memory, into files. An interrupted download resumes.
extension DataLoader {
    /// Starts a download into a file, or joins the one that is under way. The download gives its progress, its bytes as
    /// they arrive, and the file once it is complete. See ``Downloads``.
    ///
    /// The download fails with `.store` if the loader has no `downloads`.
    public func download(_ url: URL) -> Download {
        downloads?.download(url) ?? Download(DownloadTransfer(url, end: .failure(.noPlace)))
    }

    /// The complete file of a URL. A fresh saved file is delivered at once; any other is downloaded, resuming an
    /// earlier attempt. Cancelling the calling task leaves the download.
    ///
    /// - Throws: the errors of ``Downloads/file(for:)``; `.store` if the loader has no `downloads`.
    public func file(for url: URL) async throws(DownloadError) -> DownloadedFile {
        guard let downloads else { throw .noPlace }
        return try await downloads.file(for: url)
    }

    /// A downloaded file is not fetched a second time, if it is small enough to be loaded as data. A loader with a scope
    /// does not look: its folder may be another user's, too.
    ///
    /// - Parameter error: the error for which the file stands in; `nil` if nothing was asked.
    func downloaded(_ url: URL, because error: LoadError? = nil) async -> Loaded<Data>? {
        guard scope == nil else { return nil }
        do throws(StoreError) {
            guard let file = try await downloads?.saved(url), file.length <= limit else { return nil }
            let source = LoadSource.cache(savedAt: file.savedAt, because: error)
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
