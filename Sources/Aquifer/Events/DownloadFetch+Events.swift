import AquiferFoundation

extension DownloadFetch {
    /// Fetches a file, and tells so.
    func telling(
        _ events: any AquiferEvents, _ fetch: () async throws(DownloadError) -> DownloadedFile
    ) async throws(DownloadError) -> DownloadedFile {
        let start = now
        events.note(.asked(.download))
        func answered(_ trouble: RemoteTrouble?) {
            events.note(
                .answered(
                    .download, milliseconds: start.milliseconds(to: now), bytes: received, trouble: trouble))
        }
        do throws(DownloadError) {
            let file = try await fetch()
            answered(nil)
            if hasCommitted {
                events.note(.saved(.download, milliseconds: start.milliseconds(to: now), bytes: file.length))
            }
            return file
        } catch {
            if error != .cancelled { answered(error.trouble) }
            throw error
        }
    }
}
