/// Puts the modules of the pages together, so that a page asks for few files: one for all that several screens need, and one for
/// each screen. The reasons are in `docs/decisions/linked-pages.md`.
///
/// A module becomes a block of its file, with the lines and names that it had; its exports are an object with a number (`$12`). There
/// are no cycles, so a module's imports are complete when its block begins.
struct PageLinker {
    /// A file that was put together.
    struct Chunk: Sendable {
        let text: String
        /// The module and the line in it (from 0) of each line; `nil` for a line of the linker's own.
        let origins: [(module: Int, line: Int)?]
        /// The modules in it, in their order.
        let modules: [String]
        /// The other files that it needs.
        let needs: [String]
    }

    let root: String
    private var modules: [String: PageModule] = [:]
    /// The first module of each file: the root, and what is loaded later.
    private var entries: [String] = []
    /// All modules; what a module imports stands before it.
    private var order: [String] = []
    private var owner: [String: String] = [:]
    private var number: [String: Int] = [:]

    /// - Parameter read: The source of a module by its path below the folder of the pages; `nil` if there is none.
    init(root: String, read: (String) -> String?) throws(PageFault) {
        self.root = root
        var waiting = [root]
        while let entry = waiting.popLast() {
            guard !entries.contains(entry) else { continue }
            entries.append(entry)
            var visited: Set<String> = []
            try visit(entry, &visited, under: [], read)
            waiting += visited.sorted().flatMap { modules[$0]?.later ?? [] }
        }
        for (index, path) in order.enumerated() { number[path] = index + 1 }
        try assign()
    }

    private mutating func visit(
        _ path: String, _ visited: inout Set<String>, under above: [String], _ read: (String) -> String?
    ) throws(PageFault) {
        guard !above.contains(path) else {
            throw PageFault(place: path, reason: "these modules need each other: \(above)")
        }
        guard visited.insert(path).inserted else { return }
        if modules[path] == nil {
            guard let source = read(path) else {
                throw PageFault(place: path, reason: "\(above.last ?? "a page") needs it, and it is not there")
            }
            modules[path] = try PageModule(path: path, source: source)
        }
        for next in modules[path]?.imports ?? [] { try visit(next, &visited, under: above + [path], read) }
        if !order.contains(path) { order.append(path) }
    }

    /// A module that one file needs is in that file. One that several need is in the root's, which is there for all.
    private mutating func assign() throws(PageFault) {
        var users: [String: Set<String>] = [:]
        for entry in entries {
            var waiting = [entry]
            while let path = waiting.popLast() {
                // A module that is loaded later is a file of its own, also for modules that import it.
                guard path == entry || !entries.contains(path), users[path, default: []].insert(entry).inserted else {
                    continue
                }
                waiting += modules[path]?.imports ?? []
            }
        }
        for (path, users) in users {
            guard let only = users.first else { continue }
            owner[path] = users.count == 1 ? only : root
        }
        for path in order where owner[path] == root {
            for next in modules[path]?.imports ?? [] where owner[next] != root {
                throw PageFault(place: path, reason: "it is needed at once, and imports \(next), which is loaded later")
            }
        }
    }

    /// The files, by the paths of their first modules.
    func chunks() throws(PageFault) -> [String: Chunk] {
        var chunks: [String: Chunk] = [:]
        for entry in entries { chunks[entry] = try chunk(entry) }
        return chunks
    }

    private func chunk(_ entry: String) throws(PageFault) -> Chunk {
        // The entry may begin to work at once: all that others need of this file stands before it.
        let own = order.filter { owner[$0] == entry && $0 != entry } + [entry]
        var foreign: [String: Set<Int>] = [:]
        for path in own {
            guard path == entry || modules[path]?.later.isEmpty ?? true else {
                throw PageFault(place: path, reason: "only \(entry) may load modules later")
            }
            for next in modules[path]?.imports ?? [] {
                guard let home = owner[next], home != entry, let number = number[next] else { continue }
                foreign[home, default: []].insert(number)
            }
        }
        var lines: [String] = []
        var origins: [(module: Int, line: Int)?] = []
        func add(_ line: String, from origin: (module: Int, line: Int)? = nil) {
            lines.append(line)
            origins.append(origin)
        }
        for (home, numbers) in foreign.sorted(by: { $0.key < $1.key }) {
            add(
                "import { \(numbers.sorted().map { "$\($0)" }.joined(separator: ", ")) } from \"\(Self.way(from: entry, to: home))\";"
            )
        }
        for (index, path) in own.enumerated() {
            guard let module = modules[path], let number = number[path] else { continue }
            add("let $\(number); { // \(path)")
            for (line, content) in module.lines.enumerated() { add(code(content), from: (index, line)) }
            let given = module.exports.map { $0.given == $0.own ? $0.own : "\($0.given): \($0.own)" }
            add("$\(number) = { \(given.joined(separator: ", ")) }; }")
        }
        add("export { \(own.compactMap { number[$0].map { "$\($0)" } }.joined(separator: ", ")) };")
        if let names = modules[entry]?.exports.map(\.given), !names.isEmpty, let number = number[entry] {
            add("export const { \(names.joined(separator: ", ")) } = $\(number);")
        }
        return Chunk(
            text: lines.joined(separator: "\n") + "\n", origins: origins, modules: own, needs: foreign.keys.sorted())
    }

    private func code(_ line: PageModule.Line) -> String {
        switch line {
        case .code(let text): String(text)
        case .names(nil, _): ""
        case .names(let pattern?, let from): "const { \(pattern) } = $\(number[from] ?? 0);"
        }
    }

    /// `../main.js` from `js/screens/feed.js` to `js/main.js`.
    private static func way(from path: String, to other: String) -> String {
        let up = String(repeating: "../", count: path.split(separator: "/").count - 1)
        return (up.isEmpty ? "./" : up) + other
    }
}

extension PageLinker.Chunk {
    /// The file as a script that runs at once, before the page is painted. It imports nothing from other files, and exports nothing.
    var script: String {
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("export ") }
        return "(() => { \"use strict\";\n\(body.joined(separator: "\n"))})();\n"
    }
}
