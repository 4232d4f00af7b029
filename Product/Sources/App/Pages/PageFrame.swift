/// `index.html`, taken apart: it names plain files, and is given to browsers with the linked ones.
struct PageFrame: Sendable {
    /// The style sheets, in the order in which they count.
    let styles: [String]
    private let lines: [Substring]

    private static let style = "<link rel=\"stylesheet\" href=\"/assets/"

    init(_ html: String) {
        lines = html.split(separator: "\n", omittingEmptySubsequences: false)
        styles = lines.compactMap { line in
            guard let begin = line.firstRange(of: Self.style) else { return nil }
            return line[begin.upperBound...].split(separator: "\"").first.map(String.init)
        }
    }

    /// The page of a version, which asks at once for the modules of its screen.
    func html(version: String, modules: [String]) -> String {
        var made: [String] = []
        var isStyled = false
        for line in lines {
            if line.contains(Self.style) {
                if !isStyled { made.append("  \(Self.style)\(version)/css/pages.css\">") }
                isStyled = true
                continue
            }
            if line.contains("src=\"/assets/js/main.js\"") {
                made += modules.map { "  <link rel=\"modulepreload\" href=\"/assets/\(version)/\($0)\">" }
            }
            // What must run before the first paint is a script of its own, without imports.
            let own =
                line.contains("/assets/js/begin.js") ? line.split(separator: " type=\"module\"").joined() : String(line)
            made.append(
                own.split(separator: "\"/assets/", omittingEmptySubsequences: false).joined(
                    separator: "\"/assets/\(version)/"))
        }
        return made.joined(separator: "\n")
    }
}
