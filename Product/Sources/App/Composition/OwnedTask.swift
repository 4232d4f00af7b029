/// A task that ends with its owner: when this is released.
final class OwnedTask: Sendable {
    private let task: Task<Void, Never>

    init(_ work: @escaping @Sendable () async -> Void) {
        task = Task { await work() }
    }

    deinit { task.cancel() }
}
