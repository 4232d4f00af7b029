import Foundation

@testable import App

/// The types of everything that pages receive and send, as TypeScript declarations.
@MainActor
struct PageTypes {
    /// The file of the declarations, beside the pages' modules.
    static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/App/Public/js/types/states.d.ts")

    private var interfaces: [(name: String, text: String)] = []

    /// The declarations for all screens.
    static func text() throws -> String {
        var types = PageTypes()
        var states = ""
        var intents = ""
        for screen in Screens.all {
            states += "        \"\(screen.name)\": \(try types.state(of: screen));\n"
            intents += "        \"\(screen.name)\": {\n\(self.intents(of: screen))        };\n"
        }
        for type in [
            ConnectionAPI.Switch.self, InspectorAPI.List.self, InspectorAPI.Validation.self,
            UserAPI.Answer.self, ShellNews.self,
        ]
            as [any Decodable.Type]
        {
            _ = types.type(of: try shape(of: type))
        }
        let head = """
            // The keys of everything that the pages receive, and the intents that they send, written from the Swift types by
            // `Scripts/page-types`. A test fails when this file is older than they are.

            """
        let tables = """
                /** The state of each screen. */
                interface States {
            \(states)    }

                /** The intents of each screen, with the fields that they need. */
                interface Intents {
            \(intents)    }

            """
        return head + "\ndeclare namespace Wire {\n" + types.interfaces.map(\.text).joined(separator: "\n") + "\n"
            + tables + "}\n"
    }

    private mutating func state<Kind: Screen>(of screen: Kind.Type) throws -> String {
        type(of: try Shape.of(Kind.State.self))
    }

    /// A line for each intent, with its fields. All fields are texts.
    private static func intents<Kind: Screen>(of screen: Kind.Type) -> String {
        let known = Kind.Intent.allCases.map { ($0.rawValue, $0.fields) } + [("refresh", [])]
        return known.map { name, fields in
            let fields = fields.map { "\($0): string" }.joined(separator: ", ")
            return "            \(name): {\(fields.isEmpty ? "" : " \(fields) ")};\n"
        }.joined()
    }

    static func shape<Value: Decodable>(of type: Value.Type) throws -> Shape { try Shape.of(type) }

    /// The name of a shape's type. Objects are declared on the way.
    private mutating func type(of shape: Shape) -> String {
        switch shape {
        case .text: return "string"
        case .number: return "number"
        case .boolean: return "boolean"
        case .choice(let names): return names.map { "\"\($0)\"" }.joined(separator: " | ")
        case .list(let element):
            let name = type(of: element)
            return name.contains(" ") ? "(\(name))[]" : "\(name)[]"
        case .table(let value): return "Record<string, \(type(of: value))>"
        case .orNull(let value): return "\(type(of: value)) | null"
        case .object(let name, let keys):
            guard !interfaces.contains(where: { $0.name == name }) else { return name }
            let place = interfaces.count
            let lines = keys.map { "        \($0.key): \(type(of: $0.shape));\n" }.joined()
            interfaces.insert((name, "    interface \(name) {\n\(lines)    }\n"), at: place)
            return name
        }
    }
}
