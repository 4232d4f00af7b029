import Aquifer

/// A process that watches a folder of the simulated disk.
final class DiskWatch: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    fileprivate let folder: String
    fileprivate let names: Set<String>?
    fileprivate let life: Life
    fileprivate let onEvent: @Sendable (FolderEvent) -> Void
    /// When it is told of the last event: they stay in order.
    fileprivate var last: Int64 = 0

    fileprivate init(
        _ folder: String, _ names: Set<String>?, _ onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) {
        (self.folder, self.names, self.onEvent) = (folder, names, onEvent)
        life = Scheduler.shared.current
    }
}

extension SimulatedDisk {
    /// Begins to tell the running process of the changes in a folder; `nil` unless this disk tells any.
    func watch(
        _ folder: String, _ names: Set<String>?, _ onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) -> StoreObservation? {
        guard tellsChanges else { return nil }
        let watch = DiskWatch(folder, names, onEvent)
        watches.append(watch)
        return StoreObservation { [weak self] in self?.watches.removeAll { $0 === watch } }
    }

    /// Tells all who watch a folder that a name in it was given or taken away.
    func tell(_ name: String, in folder: DiskNode) {
        watches.removeAll { !$0.life.isAlive }
        for watch in watches where node(watch.folder) === folder && watch.names?.contains(name) ?? true {
            let now = Scheduler.shared.now
            watch.last = max(watch.last, now + faults.duration(.microseconds(10) ... .milliseconds(20)).nanoseconds)
            Scheduler.shared.ring(after: .nanoseconds(watch.last - now), as: watch.life) { [watch] in
                watch.onEvent(.file(name))
            }
        }
    }
}
