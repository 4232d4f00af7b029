import Foaas

/// An operation: a phrase with places to fill in.
struct OperationDocument: Encodable {
    /// A place to fill in.
    struct Field: Encodable {
        let name: String
        let field: String
    }

    let name: String
    let url: String
    let fields: [Field]

    init(_ operation: FoaasOperation) {
        name = operation.name
        url = operation.url
        fields = operation.fields.map { Field(name: $0.name, field: $0.field) }
    }
}

/// A phrase.
struct PhraseDocument: Encodable {
    let message: String
    let subtitle: String

    init(_ phrase: Foaas) {
        message = phrase.message
        subtitle = phrase.subtitle
    }
}
