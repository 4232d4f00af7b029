import Foundation

/// A message in which a page sends an intent to its screen: `{"intent":"search","query":"marcia"}`.
struct IntentMessage: Sendable, Decodable {
    /// The name of the intent.
    let intent: String
    /// The other fields.
    let fields: IntentFields

    /// A page has come to look at its screen.
    ///
    /// - Parameter isPageLoad: True if the page itself was loaded just now.
    static func appear(isPageLoad: Bool) -> IntentMessage {
        IntentMessage(intent: "appear", fields: IntentFields(isPageLoad ? ["load": "true"] : [:]))
    }

    private init(intent: String, fields: IntentFields) {
        (self.intent, self.fields) = (intent, fields)
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.singleValueContainer().decode([String: String].self)
        guard let intent = fields["intent"] else {
            throw DecodingError.valueNotFound(String.self, .init(codingPath: [], debugDescription: "no intent"))
        }
        self.intent = intent
        self.fields = IntentFields(fields)
    }
}

/// The fields of an intent beside its name. All of them are texts.
struct IntentFields: Sendable {
    private let fields: [String: String]

    init(_ fields: [String: String] = [:]) {
        self.fields = fields
    }

    /// True if the page itself was loaded just now. The content that a model of the same tab showed before may be
    /// outdated.
    var isPageLoad: Bool { fields["load"] == "true" }

    /// The fields that an intent names, and the mark of a page load, which each of them may have.
    func of(_ intent: some ScreenIntent) -> IntentFields {
        let names = intent.fields.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 } + ["load"]
        return IntentFields(fields.filter { names.contains($0.key) })
    }

    /// A field that the page may leave out.
    subscript(_ field: String) -> String? { fields[field] }

    /// A field that the intent needs.
    func text(_ field: String) throws(IntentError) -> String {
        guard let text = fields[field] else { throw .missing(field) }
        return text
    }

    /// Checks a text that the page shows against that of the screen. A text that the page leaves out is not checked.
    ///
    /// - Throws: ``IntentError/outdated(_:)`` if the page shows another one: nothing may be done with it then.
    func check(_ field: String, is text: String) throws(IntentError) { try check(field) { $0 == text } }

    /// The same, for a text that only its model can compare.
    func check(_ field: String, _ isCurrent: (String) -> Bool) throws(IntentError) {
        if let shown = fields[field], !isCurrent(shown) { throw .outdated(field) }
    }

    /// A field that the intent needs, read as a value of this type.
    func value<Value>(_ field: String, _ read: (String) -> Value?) throws(IntentError) -> Value {
        guard let value = read(try text(field)) else { throw .invalid(field) }
        return value
    }

    /// The identifier in the field `id`.
    func id() throws(IntentError) -> UUID { try value("id") { UUID(uuidString: $0) } }

    /// The identifier in a field that the page may leave out.
    func id(ifGiven field: String) throws(IntentError) -> UUID? {
        if fields[field] == nil { return nil }
        let id: UUID = try value(field) { UUID(uuidString: $0) }
        return id
    }

    /// The identifiers in a field that the page may leave out, with spaces between them.
    func ids(_ field: String) -> Set<UUID> {
        Set((fields[field] ?? "").split(separator: " ").compactMap { UUID(uuidString: String($0)) })
    }
}

/// The reason why a screen cannot do what a page asks for.
enum IntentError: Error, CustomStringConvertible {
    /// The screen knows no intent of this name.
    case unknown(String, known: [String])
    /// The intent needs a field that is missing.
    case missing(String)
    /// A field has a value that the screen does not know.
    case invalid(String)
    /// The page shows something else than the screen has: an edit was lost, or comes from elsewhere.
    case outdated(String)
    /// The screen shows nothing to which the intent could apply.
    case nothingShown
    /// Another replica took files that the intent is about, and is gone.
    case filesGone

    var description: String {
        switch self {
        case .unknown(let name, let known):
            "this screen knows no intent \"\(name)\"; it knows \(known.joined(separator: ", "))"
        case .missing(let field): "the intent needs the field \"\(field)\""
        case .invalid(let field): "the field \"\(field)\" has no value that this screen knows"
        case .outdated(let field): "the page shows another \"\(field)\" than this screen has; nothing was done"
        case .filesGone: "the files were handed to a server that is gone; choose them again"
        case .nothingShown: "this screen shows nothing that could be changed"
        }
    }
}
