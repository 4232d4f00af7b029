import App
import Aquifer
import Foaas
import Foundation

/// `aquifer foaas say NAME [key=value]…`: says something.
struct FoaasSayCommand: CommandHandler {
    private let call: CommandCall
    private let name: String
    private let values: [(key: String, value: String)]
    private let filters: Bool

    init(_ call: CommandCall) throws(CommandError) {
        name = call.words[0]
        var values: [(String, String)] = []
        for word in call.words.dropFirst() {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw .usage("\"\(word)\" is not key=value; aquifer foaas list shows the keys")
            }
            values.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
        }
        self.values = values
        filters = !call.arguments.has(Options.unfiltered)
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        let known: FoaasOperations
        do throws(LoadError) { known = try await services.foaas.knownOperations() } catch { throw CommandError(error) }
        let operation = try operation(in: known.operations)
        var builder = FoaasPathBuilder(operation)
        do throws(FoaasPathError) {
            for (key, value) in values { try builder.set(value, for: key) }
            guard builder.isComplete else { throw .missing(builder.missing) }
        } catch { throw CommandError(status: .usage, message: "\(operation.name): \(error)") }
        return try await services.foaas.printPhrase(call, filters: filters) {
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

extension FoaasOperation {
    /// `awesome` of `/awesome/:from`.
    fileprivate var firstSegment: String { url.split(separator: "/").first.map(String.init) ?? "" }
}
