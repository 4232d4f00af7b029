/// The screens of addresses. `logic/routes.js` has the names and the addresses of the routes. A line of `main.js` that begins with such
/// a name has the module:
///
/// ```js
///   payment: /^\/pay\/(\d{1,18})$/,                                        // routes.js
///   payment: { app: "contacts", ...screen(() => import("./screens/payment.js"), …   // main.js
/// ```
struct PageRoutes: Sendable {
    private var screens: [(segments: [String?], module: String)] = []

    /// - Throws: a fault if there are no routes, or if a route has no line with a module: its page would be asked for a round trip late.
    init(routes: String, main: String) throws(PageFault) {
        var modules: [Substring: String] = [:]
        for line in main.split(separator: "\n") {
            guard let begin = line.firstRange(of: "import(\"./screens/") else { continue }
            let specifier = line[begin.lowerBound...].split(separator: "\"")
            guard let name = Self.key(of: line), specifier.count > 1 else { continue }
            modules[name] = PageModule.resolve(String(specifier[1]), from: "js/main.js")
        }
        for (index, line) in routes.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let name = Self.key(of: line), let begin = line.firstRange(of: ": /^"),
                let end = line.firstRange(of: "$/")
            else { continue }
            guard let module = modules[name] else {
                throw PageFault(
                    place: "js/logic/routes.js:\(index + 1)", reason: "main.js has no line with a module for \(name)")
            }
            let segments = line[begin.upperBound..<end.lowerBound].split(separator: "\\/")
            screens.append((segments.map { $0.hasPrefix("(") ? nil : String($0) }, module))
        }
        guard !screens.isEmpty else { throw PageFault(place: "js/logic/routes.js", reason: "it names no routes") }
    }

    /// The name that a line of a table begins with: `payment` of `  payment: …`.
    private static func key(of line: Substring) -> Substring? {
        let text = line.drop { $0 == " " }
        let name = text.prefix { $0.isLetter }
        return !name.isEmpty && text[name.endIndex...].hasPrefix(":") ? name : nil
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
