/// Gives way to other tasks until a condition holds: for what happens soon, and tells nobody when it has.
///
/// It does not sleep, and it has no limit of its own: give the suite a time limit. When its task is cancelled, as Swift
/// Testing does with a test whose time limit has come, it returns `false`, so that a test that waits in vain ends.
///
/// The result must be looked at, because a test that waited in vain has shown nothing:
///
/// ```swift
/// #expect(await eventually { server.requests.count == 2 })
/// ```
///
/// - Returns: whether the condition holds.
public func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    while true {
        if try await condition() { return true }
        if Task.isCancelled { return false }
        await Task.yield()
    }
}
