import Foundation

/// The JavaScript of one page: its module, and the modules that draw parts of it.
struct PageScript {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")
    private static let catalogue = sources.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/AquiferWording/Languages/en.swift")
    private static let folder = sources.appending(path: "App/Public/js")

    /// The page's own module.
    private let main: String
    /// All its modules that draw, and those that decide what is drawn.
    private let modules: [String]

    /// The page of a screen: `screens/drive-account.js`.
    init(_ name: String) throws {
        let bases: Set = ["screen.js", "list-screen.js"]
        var seen: [String: String] = [:]
        func read(_ file: URL) throws {
            let path = file.standardizedFileURL.path
            guard seen[path] == nil else { return }
            let text = try String(contentsOf: file, encoding: .utf8)
            seen[path] = text
            for match in text.matches(of: /from "(\.\.?\/(?:components\/|logic\/)?[\w-]+\.js)"/)
            where
                file.deletingLastPathComponent().lastPathComponent != "js" || bases.contains(file.lastPathComponent)
            {
                let next = file.deletingLastPathComponent().appending(path: String(match.1)).standardizedFileURL
                // The modules beside `screens` and `components` draw no states, except for the bases of screens.
                guard
                    next.deletingLastPathComponent().lastPathComponent != "js" || bases.contains(next.lastPathComponent)
                else { continue }
                try read(next)
            }
        }
        let file = Self.folder.appending(path: "screens/\(name).js")
        try read(file)
        main = try String(contentsOf: file, encoding: .utf8)
        modules = Array(seen.values)
    }

    /// True if a module reads this key of anything: `.key`, `{ key } = …`, `({ key }) => …`. So does a text of the
    /// catalogue, which gets its values by name.
    func mentions(_ key: String) throws -> Bool {
        // Not `\b`: between `results` and `.filter` Unicode sees no boundary of words.
        let access = try Regex("\\.\(key)(?![\\w(])")
        let taken = try Regex("(?:const|let|\\() ?\\{[^{}()]*\\b\(key)\\b[^{}()]*\\}")
        return try modules.contains { $0.contains(access) || $0.contains(taken) }
            || Self.texts().contains { $0.value.contains("{\(key)}") && uses($0.key) }
    }

    /// True if a module names a text: `t("audio.play")`, ``t(`audio.${what}`)``.
    private func uses(_ text: String) -> Bool {
        modules.contains { module in
            if module.contains("\"\(text)\"") { return true }
            return module.matches(of: /`([\w.]*(?:\$\{[^{}`]*\}[\w.]*)+)`/).contains { match in
                // The parts beside what is filled in, in their order.
                var rest = text[...]
                return match.1.split(separator: /\$\{[^{}`]*\}/).allSatisfy { part in
                    guard let found = rest.range(of: part) else { return false }
                    rest = rest[found.upperBound...]
                    return true
                }
            }
        }
    }

    /// The keys that the page's own module reads of its state, each with the keys that lead to it:
    /// `["upload", "isDone"]`.
    var reads: Set<[String]> {
        var found: Set<[String]> = []
        for match in main.matches(of: /\b(?:this\.)?(?:state|before)((?:\??\.[A-Za-z]\w*)+)(?!\w|\()/) {
            found.insert(match.1.replacing("?", with: "").split(separator: ".").map { String($0) })
        }
        for match in main.matches(of: /(?:const|let) \{([^{}()]*)\} = (?:this\.)?state\b(?!\.)/) {
            for part in match.1.split(separator: ",") {
                let name = part.prefix { $0 != ":" && $0 != "=" }.trimmingCharacters(in: .whitespaces)
                found.insert([name])
            }
        }
        return found
    }

    /// The texts of the catalogue: for each key the line that has it.
    private static func texts() throws -> [(key: String, value: Substring)] {
        try String(contentsOf: catalogue, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/^ *"([\w.]+)": /#).map { (key: String($0.1), value: line) }
        }
    }
}
