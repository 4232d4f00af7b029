/// The table with which a browser's tools show an error of a linked file at its place in the module (the format "source map", version 3).
struct SourceMap: Encodable {
    let version = 3
    let sources: [String]
    let names: [String] = []
    let mappings: String

    /// - Parameter folder: The way from the linked file to the plain modules: `../../`.
    init(_ chunk: PageLinker.Chunk, folder: String) {
        sources = chunk.modules.map { folder + $0 }
        var before = (module: 0, line: 0)
        mappings = chunk.origins.map { origin in
            guard let origin else { return "" }
            defer { before = origin }
            // The line begins in its first column, as it did in the module.
            return [0, origin.module - before.module, origin.line - before.line, 0].map(Self.digits).joined()
        }
        .joined(separator: ";")
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    /// A number in the digits of the format: five bits each, the lowest first, the sign in the first.
    static func digits(_ number: Int) -> String {
        var rest = number < 0 ? (-number << 1) | 1 : number << 1
        var text = ""
        repeat {
            let digit = rest & 31
            rest >>= 5
            text.append(alphabet[rest > 0 ? digit | 32 : digit])
        } while rest > 0
        return text
    }
}
