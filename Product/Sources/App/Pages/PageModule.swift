/// A module of the pages, taken apart line by line.
///
/// The pages' modules have few forms: `import { a, b as c } from "./x.js";`, `import "./x.js";`, and `export` before a `const`, a
/// `function`, a `class` or a list in braces. Any other form is a ``PageFault``. Comments with lines of their own are left out: a phone
/// would load and read them for nothing.
struct PageModule: Sendable {
    /// A line of the linked file.
    enum Line: Sendable {
        case code(Substring)
        /// The names that a module gives to this one, as a pattern (`a, b: c`). `nil` if it is only to be there.
        case names(String?, from: String)
    }

    /// The path below the folder of the pages: `js/screens/feed.js`.
    let path: String
    private(set) var lines: [Line] = []
    /// The modules that must be there before this one.
    private(set) var imports: [String] = []
    /// The modules that are loaded when they are first needed.
    private(set) var later: [String] = []
    /// The exports: the name there, and the name here.
    private(set) var exports: [(given: String, own: String)] = []

    init(path: String, source: String) throws(PageFault) {
        self.path = path
        var statement: [Substring] = []
        var isComment = false
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = "\(path):\(index + 1)"
            if statement.isEmpty, isComment || Self.isComment(line) {
                let isBlock = isComment || !line.drop(while: { $0 == " " }).hasPrefix("//")
                let end = isBlock ? line.firstRange(of: "*/")?.upperBound : nil
                guard end.map({ line[$0...].allSatisfy { $0 == " " } }) ?? true else {
                    throw PageFault(place: place, reason: "code behind a comment of several lines is not linked")
                }
                isComment = isBlock && end == nil
                // The lines of the source keep their numbers.
                lines.append(.code(""))
            } else if !statement.isEmpty || line.hasPrefix("import {") || line.hasPrefix("import \"") {
                statement.append(line)
                if line.hasSuffix(";") {
                    try add(importing: statement, at: place)
                    statement = []
                }
            } else if line.hasPrefix("export ") {
                try add(exporting: line, at: place)
            } else if line.hasPrefix("import ") {
                throw PageFault(place: place, reason: "this form of import is not linked")
            } else {
                lines.append(.code(line))
                later += Self.loaded(by: line).map { Self.resolve($0, from: path) }
            }
        }
        guard statement.isEmpty else { throw PageFault(place: path, reason: "an import has no end") }
    }

    private mutating func add(importing statement: [Substring], at place: String) throws(PageFault) {
        let text = statement.joined(separator: " ")
        let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard quoted.count == 3, quoted[1].hasPrefix("."), quoted[2] == ";" else {
            throw PageFault(place: place, reason: "this import is not linked")
        }
        let from = Self.resolve(String(quoted[1]), from: path)
        if !imports.contains(from) { imports.append(from) }
        guard let open = text.firstIndex(of: "{"), let close = text.lastIndex(of: "}") else {
            lines.append(.names(nil, from: from))
            return
        }
        let pattern = Self.names(text[text.index(after: open)..<close]).map {
            $0.own == $0.given ? $0.own : "\($0.own): \($0.given)"
        }
        lines.append(.names(pattern.joined(separator: ", "), from: from))
        // The lines of the source keep their numbers.
        lines += statement.dropFirst().map { _ in .code("") }
    }

    private mutating func add(exporting line: Substring, at place: String) throws(PageFault) {
        let rest = line.dropFirst("export ".count)
        if rest.hasPrefix("{"), let close = rest.lastIndex(of: "}") {
            exports += Self.names(rest[rest.index(after: rest.startIndex)..<close]).map { ($0.given, $0.own) }
            lines.append(.code(""))
            return
        }
        let words = rest.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }.map(String.init)
        let kinds: Set = ["const", "class", "function"]
        guard let first = words.first(where: { $0 != "async" }), kinds.contains(first),
            let name = words.drop(while: { $0 == "async" || $0 == first }).first
        else { throw PageFault(place: place, reason: "this export is not linked") }
        exports.append((name, name))
        lines.append(.code(rest))
    }

    /// True if a line begins a comment, and has nothing else.
    private static func isComment(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("//") { return true }
        guard text.hasPrefix("/**") else { return false }
        // A comment before an expression, `/** @type {A} */ (b)`, stays with it.
        return text.firstRange(of: "*/").map { text[$0.upperBound...].allSatisfy { $0 == " " } } ?? true
    }

    /// `a, b as c` → `[(a, a), (b, c)]`.
    private static func names(_ list: Substring) -> [(own: String, given: String)] {
        list.split(separator: ",").compactMap { part in
            let words = part.split(separator: " ").map(String.init)
            guard let first = words.first, let last = words.last else { return nil }
            return (first, last)
        }
    }

    /// The modules that a line of code loads: `import("./screens/feed.js")`. A comment names a type in the same way, and then goes on
    /// with its name: `import("./shell.js").Entry`.
    private static func loaded(by line: Substring) -> [String] {
        var found: [String] = []
        var rest = line
        while let begin = rest.firstRange(of: "import(\"") {
            rest = rest[begin.upperBound...]
            guard let end = rest.firstRange(of: "\")") else { break }
            let after = rest[end.upperBound...].prefix(2)
            let isType = after.count == 2 && after.first == "." && after.last?.isUppercase == true
            if !isType { found.append(String(rest[..<end.lowerBound])) }
            rest = rest[end.upperBound...]
        }
        return found
    }

    /// `../dom.js` from `js/screens/feed.js` → `js/dom.js`.
    static func resolve(_ specifier: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast()
        for part in specifier.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
