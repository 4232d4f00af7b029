import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// Questions to the server, and its answers.
extension RedisStore {
    /// Makes a change. If nobody can tell whether it was made, observers are told of it, and it is remembered.
    func doubting<Value>(
        _ change: StoreChange, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) { return try await body() } catch {
            if case .uncertain = error { doubt(change) }
            throw error
        }
    }

    /// Takes note of a change of which nobody can tell whether it was made, or will be.
    func doubt(_ change: StoreChange) {
        doubts.insert(change)
        // The server's message may have come before, when it was passed over as this store's own.
        changes.post(change)
    }

    /// Runs a script, which the server may have to be told again, after other commands.
    func run(
        _ script: Script, _ keys: [Command.Word], _ arguments: [Command.Word], after others: [Command] = [],
        to operation: String
    ) async throws(StoreError) -> (reply: Reply, wasRepeated: Bool) {
        let (replies, wasRepeated) = try await answers(others + [script.command(keys: keys, arguments)], operation)
        if case .error(let words) = replies[others.count], words.hasPrefix("NOSCRIPT") {
            try check(replies.dropLast(), operation)
            let again = try await ask(others + [script.wholeCommand(keys: keys, arguments)], to: operation)
            return (again.replies[others.count], wasRepeated || again.wasRepeated)
        }
        try check(replies, operation)
        return (replies[others.count], wasRepeated)
    }

    /// The answers of commands, none of which is an error.
    func ask(
        _ commands: [Command], to operation: String
    ) async throws(StoreError) -> (replies: [Reply], wasRepeated: Bool) {
        let (replies, wasRepeated) = try await answers(commands, operation)
        try check(replies, operation)
        return (replies, wasRepeated)
    }

    private func check(_ replies: some Sequence<Reply>, _ operation: String) throws(StoreError) {
        for case .error(let words) in replies {
            if words.hasPrefix("OOM") { throw .full(path: place) }
            if words.hasPrefix("READONLY") { throw .readOnly(path: place) }
            if words.hasPrefix("BUSY ") || words.hasPrefix("LOADING") { throw .busy(path: place) }
            throw .failed(operation: operation, reason: "\(place): \(words)")
        }
    }

    func answers(_ commands: [Command], _ operation: String) async throws(StoreError) -> ([Reply], Bool) {
        let request = Request(commands, deadline: .now + patience)
        owner.loop.carryOut(request)
        switch await request.end.get() {
        case .answered(let replies, let wasRepeated): return (replies, wasRepeated)
        case .unreachable(let reason):
            throw .failed(operation: operation, reason: "\(place) cannot be reached: \(reason)")
        case .uncertain(let reason): throw .uncertain(operation: operation, reason: "\(place): \(reason)")
        }
    }

    func strange(_ operation: String) -> StoreError {
        .failed(operation: operation, reason: "\(place): an answer that is none of Redis's")
    }
}
