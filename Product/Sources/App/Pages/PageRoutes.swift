/// The screens of addresses, as the pages' own modules name them: `logic/routes.js` has the addresses, `main.js` the modules.
struct PageRoutes: Sendable {
    private var screens: [(segments: [String?], module: String)] = []

    init(routes: String, main: String) {
        var modules: [Substring: String] = [:]
        for line in main.split(separator: "\n") {
            guard let begin = line.firstRange(of: "import(\"./screens/") else { continue }
            let specifier = line[begin.lowerBound...].split(separator: "\"")
            let head = line.drop { $0 == " " }
            let name = head.hasPrefix("const ") ? head.dropFirst("const ".count) : head
            guard specifier.count > 1 else { continue }
            modules[name.prefix { $0.isLetter }] = PageModule.resolve(String(specifier[1]), from: "js/main.js")
        }
        for line in routes.split(separator: "\n") {
            // `  payment: /^\/pay\/(\d{1,18})$/,`
            let parts = line.drop { $0 == " " }.split(separator: ": /^", maxSplits: 1)
            guard parts.count == 2, let module = modules[parts[0]], let end = parts[1].firstRange(of: "$/") else {
                continue
            }
            let segments = parts[1][..<end.lowerBound].split(separator: "\\/", omittingEmptySubsequences: true)
            screens.append((segments.map { $0.hasPrefix("(") ? nil : String($0) }, module))
        }
    }

    /// The modules of all screens.
    var modules: Set<String> { Set(screens.map(\.module)) }

    /// The module of the screen at a path; `nil` if there is none.
    func module(at path: String) -> String? {
        let asked = path.split(separator: "/").map(String.init)
        return screens.first { screen in
            screen.segments.count == asked.count && zip(screen.segments, asked).allSatisfy { $0 == nil || $0 == $1 }
        }?.module
    }
}
