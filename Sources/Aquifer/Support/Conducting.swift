/// What a simulation of `AquiferTesting` replaces in the engine: its own threads, and the disk. The engine itself has no
/// conductor.
package protocol Conductor: Sendable {
    /// The executor of a ``SerialQueue``, in place of a dispatch queue.
    func makeExecutor(_ label: String) -> any SerialExecutor
    /// The disk, in place of the system's.
    var files: any FileSystem { get }
    /// A queue that does one thing at a time, each after a delay, in place of a dispatch queue.
    func makeQueue() -> Queue
    /// Watches a folder, in place of the system. See ``FolderWatch``.
    func watch(
        _ folder: String, _ names: Set<String>?, _ onEvent: @escaping @Sendable (FolderEvent) -> Void
    ) -> StoreObservation?
    /// Carries out ``Waiting/until(_:_:)`` in simulated time.
    func wait(_ patience: Duration, _ attempt: () throws(StoreError) -> Bool) throws(StoreError) -> Bool
}

extension Conductor {
    /// Does something after a delay, when what was begun before has ended.
    package typealias Queue = @Sendable (_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Void
}

/// The conductor of this process.
package enum Conducting {
    /// Set once, before the first task of the process; never in an app. It is read without a lock for that reason.
    nonisolated(unsafe) package static var conductor: (any Conductor)?
}
