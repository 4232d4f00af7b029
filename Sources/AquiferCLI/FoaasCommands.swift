import App
import Aquifer
import Foaas
import Foundation

/// `aquifer foaas list [QUERY]`: lists the operations.
struct FoaasListCommand {
    private let options: GlobalOptions
    private let query: String

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        query = arguments.words.joined(separator: " ")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let loaded = try await console.loading(options) { () async throws(LoadError) in
            try await services.foaas.loadOperations()
        }
        let found = loaded.value.operations.filter { $0.matches(query) }
        if loaded.value.skipped > 0 && !options.quiet {
            let skipped = loaded.value.skipped
            console.note(
                "\(skipped) of the remote's operations could not be read; \(skipped == 1 ? "it is" : "they are") not listed"
            )
        }
        if options.json {
            console.out(LoadReport.json(loaded, value: .array(found.map(\.json))))
            return .delivered
        }
        let rows = found.map { [$0.name, $0.placeholders.joined(separator: " "), $0.url] }
        console.table(["NAME", "KEYS", "PATH"], rows, options, ifEmpty: "no operation matches \"\(query)\"")
        return .delivered
    }
}

/// `aquifer foaas say NAME [key=value]…`: says something.
struct FoaasSayCommand {
    private let options: GlobalOptions
    private let name: String
    private let values: [(key: String, value: String)]
    private let filters: Bool

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        name = try arguments.next("the operation's name")
        var values: [(String, String)] = []
        while let word = arguments.next() {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw .usage("\"\(word)\" is not key=value; aquifer foaas list shows the keys")
            }
            values.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
        }
        self.values = values
        filters = !arguments.has("--unfiltered")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let known: FoaasOperations
        do throws(LoadError) { known = try await services.foaas.knownOperations() } catch { throw CommandError(error) }
        let operation = try operation(in: known.operations)
        var builder = FoaasPathBuilder(operation)
        do throws(FoaasPathError) {
            for (key, value) in values { try builder.set(value, for: key) }
            guard builder.isComplete else { throw .missing(builder.missing) }
        } catch { throw CommandError(status: .usage, message: "\(operation.name): \(error)") }
        return try await services.foaas.printPhrase(console, options, filters: filters) {
            () async throws(FoaasError) in try await services.foaas.say(builder)
        }
    }

    /// The operation with this name, or with a path that begins with it.
    private func operation(in operations: [FoaasOperation]) throws(CommandError) -> FoaasOperation {
        let wanted = name.lowercased()
        let found = operations.filter { $0.name.lowercased() == wanted || $0.firstSegment.lowercased() == wanted }
        // If several operations have the name, the operation with exactly the given keys is meant.
        let keys = Set(values.map(\.key))
        if let exact = found.first(where: { Set($0.placeholders) == keys }) ?? found.first { return exact }
        let near = operations.filter { $0.matches(name) || wanted.contains($0.firstSegment.lowercased()) }
            .prefix(5).map(\.name)
        throw CommandError(
            status: .notFound,
            message: "there is no operation \"\(name)\"; "
                + (near.isEmpty ? "aquifer foaas list shows them" : "did you mean \(near.joined(separator: ", "))?"))
    }
}

/// `aquifer foaas random`: says anything.
struct FoaasRandomCommand {
    private let options: GlobalOptions
    private let filters: Bool

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        filters = !arguments.has("--unfiltered")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        try await services.foaas.printPhrase(console, options, filters: filters) { () async throws(FoaasError) in
            try await services.foaas.anyPhrase()
        }
    }
}

extension FoaasService {
    /// Prints the phrase of `say`. Without a connection it reports that, and offers the last phrases seen.
    fileprivate func printPhrase(
        _ console: Console, _ options: GlobalOptions, filters: Bool, _ say: () async throws(FoaasError) -> Foaas
    ) async throws(CommandError) -> ExitStatus {
        func shown(_ phrase: Foaas) -> Foaas { filters ? ProfanityFilter.filter(phrase) : phrase }
        do throws(FoaasError) {
            let phrase = shown(try await say())
            if options.json {
                console.out(phrase.json.text)
            } else {
                console.out(lines: [phrase.message, phrase.subtitle].filter { !$0.isEmpty })
            }
            return .delivered
        } catch {
            if case .load(.connectivity(let reason)) = error {
                console.note("a phrase needs a connection, and there is none (\(reason))")
                // Without those there is still the error.
                let seen = (try? await self.seen.all()) ?? []
                if !options.quiet && !seen.isEmpty {
                    console.note("the last ones seen:")
                    for seen in seen.prefix(3) {
                        let phrase = shown(seen.phrase)
                        console.note("  \(phrase.message) \(phrase.subtitle)")
                    }
                }
                return .unavailable
            }
            switch error {
            case .path(let error): throw CommandError(status: .usage, message: "\(error)")
            case .load(let error): throw CommandError(error)
            }
        }
    }
}

extension FoaasOperation {
    /// `awesome` of `/awesome/:from`.
    fileprivate var firstSegment: String { url.split(separator: "/").first.map(String.init) ?? "" }

    /// The operation in the remote's field names.
    fileprivate var json: JSONText {
        .object([
            ("name", .string(name)), ("url", .string(url)),
            (
                "fields",
                .array(fields.map { .object([("name", .string($0.name)), ("field", .string($0.field))]) })
            ),
        ])
    }
}

extension Foaas {
    /// The phrase in the remote's field names.
    fileprivate var json: JSONText { .object([("message", .string(message)), ("subtitle", .string(subtitle))]) }
}
