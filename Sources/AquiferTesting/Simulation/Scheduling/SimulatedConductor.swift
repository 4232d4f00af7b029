import Aquifer

/// Brings what the engine does on threads of its own under the scheduler.
struct SimulatedConductor: Conductor {
    func makeExecutor(_ label: String) -> any SerialExecutor { SimulatedQueue() }

    var files: any FileSystem { SimulatedFiles() }

    func makeQueue() -> Queue {
        let (scheduler, turns) = (Scheduler.shared, SerialTurns())
        return { delay, work in scheduler.ring(after: delay) { scheduler.enqueue(in: turns, work) } }
    }

    func watch(
        _ folder: String, _ names: Set<String>?, _ onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) -> StoreObservation? {
        Scheduler.shared.disk?.watch(folder, names, onEvent)
    }

    func wait(_ patience: Duration, _ attempt: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        let scheduler = Scheduler.shared
        let (life, end) = (scheduler.current, scheduler.now + patience.nanoseconds)
        var pause = Duration.microseconds(50)
        while try !attempt() {
            if scheduler.now >= end || !life.isAlive || scheduler.isOver { return false }
            scheduler.pause(pause)
            pause = min(pause * 2, .milliseconds(2))
        }
        return true
    }
}
