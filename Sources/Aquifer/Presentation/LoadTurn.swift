/// The loads of a screen, one at a time. A caller that asks while one runs waits for its end.
///
/// A load belongs to the task that began it, and ends with it: the user has left. A caller that has asked meanwhile then begins
/// its own.
@MainActor
package final class LoadTurn {
    private var isTaken = false
    private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var number = 0

    /// The number of those who wait.
    package var waiters: Int { waiting.count }

    /// A screen that loads nothing yet.
    package init() {}

    /// Loads, unless a load runs. Then it waits for that one, and loads only if that one was cancelled.
    ///
    /// - Parameter load: Returns true if it was cancelled.
    package func run(_ load: () async -> Bool) async {
        while isTaken {
            guard await end(), !Task.isCancelled else { return }
        }
        isTaken = true
        let wasCancelled = await load()
        isTaken = false
        let others = waiting
        waiting = [:]
        for place in others.keys.sorted() { others[place]?.resume(returning: wasCancelled) }
    }

    /// Returns when no load runs, or the calling task is cancelled. True if the load that ran was cancelled.
    @discardableResult
    package func end() async -> Bool {
        guard isTaken else { return false }
        number += 1
        let place = number
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume(returning: false) } else { waiting[place] = continuation }
            }
        } onCancel: {
            Task { @MainActor in waiting.removeValue(forKey: place)?.resume(returning: false) }
        }
    }
}
