/// One run of a simulated process, from its start to its end. What it has enqueued and opened ends with it.
final class Life: @unchecked Sendable {
    let name: String
    private(set) var isAlive = true
    /// What it waits for, by a number of its own: for the report of a deadlock.
    private var waits: [Int: String] = [:]
    private var lastWait = 0
    var hasFiles = false
    /// True while it is stopped. Its jobs and alarms are held back until it goes on.
    var isStopped = false
    var heldJobs: [Scheduler.Entry] = []
    var heldAlarms: [Alarm] = []
    /// What is to be given back when it ends: its files and locks, its connections.
    private var endings: [() -> Void] = []

    init(_ name: String) { self.name = name }

    func whenItEnds(_ ending: @escaping () -> Void) { endings.append(ending) }

    func end() {
        guard isAlive else { return }
        isAlive = false
        let endings = endings
        self.endings = []
        for ending in endings { ending() }
    }

    func waits(for what: String) -> Int {
        lastWait += 1
        waits[lastWait] = what
        return lastWait
    }

    func hasStoppedWaiting(_ wait: Int) { waits[wait] = nil }

    var standing: String {
        if waits.isEmpty { return "a task" }
        return waits.sorted { $0.key < $1.key }.map(\.value).joined(separator: "; ")
    }
}
