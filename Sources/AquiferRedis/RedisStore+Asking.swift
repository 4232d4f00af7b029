import Aquifer
import AquiferConcurrency
import AquiferFoundation

extension RedisStore: DoubtingStore {}

/// Questions to the server, and its answers.
extension RedisStore {
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
