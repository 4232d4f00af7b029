import Dispatch

/// Watches a folder for what happens to its files, in this process or another. Nothing runs while nothing happens.
///
/// Linux tells the name of each file that was written, replaced, made or deleted. Apple's systems tell that of the named
/// files, and that something happened to the names in the folder.
package enum FolderWatch {
    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - names: the files to be told of; `nil` for all of them.
    ///   - onEvent: is called on a queue of the watch, one event after another.
    /// - Returns: the watch, which ends when it is cancelled or released; `nil` if the folder cannot be watched.
    package static func begin(
        _ folder: String, names: Set<String>?, onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) -> StoreObservation? {
        if let conductor = Conducting.conductor { return conductor.watch(folder, names, onEvent) }
        guard let watched = WatchedFolder(folder, names) else { return nil }
        let queue = DispatchQueue(label: "aquifer.folder-watch")
        // The source is told to begin and to end from any thread, as its documentation allows.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: watched.descriptor, queue: queue)
        source.setEventHandler {
            for event in watched.events() { onEvent(event) }
        }
        // The descriptor stays open until the source has ended.
        source.setCancelHandler { withExtendedLifetime(watched) {} }
        source.resume()
        return StoreObservation { source.cancel() }
    }
}
