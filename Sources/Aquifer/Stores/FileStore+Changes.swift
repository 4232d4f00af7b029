extension FileStore {
    /// Posts what happens to the files of a store's folder, in this process or another, until the observation ends. The
    /// changes of this instance are thus told twice.
    static func watch(_ folder: String, _ changes: StoreChanges, _ clock: any Clock<Duration>) -> StoreObservation {
        FolderWatch.begin(folder, names: nil, clock: clock) { event in
            switch event {
            case .file(let name):
                // The lock and what is not in place yet.
                guard name.hasSuffix(FileName.suffix) else { return }
                changes.post(FileName.key(of: name).map { .entry($0) } ?? .everything)
            case .unknown: changes.post(.everything)
            }
        }
    }
}
