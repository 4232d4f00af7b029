/// The error that an operation throws; `nil` if it throws none.
///
/// ```swift
/// #expect(await failure { () async throws(LoadError) in try await notes.load() } == .cancelled)
/// ```
public func failure<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, of work: () async throws(Failure) -> Value
) async -> Failure? {
    do throws(Failure) {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}
