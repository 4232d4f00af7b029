/// Gives way to other tasks until a condition holds: for what happens soon, and tells nobody when it has.
///
/// It sleeps for no time and knows no limit of its own. When its task is cancelled, as Swift Testing does with a test
/// whose time limit has come, it returns without the condition: a test that waits for what never comes then ends.
///
/// ```swift
/// #expect(await eventually { server.requests.count == 2 })
/// ```
///
/// - Returns: whether the condition holds.
@discardableResult
public func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    while true {
        if try await condition() { return true }
        if Task.isCancelled { return false }
        await Task.yield()
    }
}
