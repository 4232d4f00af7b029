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

    /// The page of a version.
    func html(version: String, isLinked: Bool) -> String {
        var made: [String] = []
        var isStyled = false
        for line in lines {
            if line.contains(Self.style) {
                if !isStyled { made.append("  \(Self.style)\(version)/css/pages.css\">") }
                isStyled = true
                continue
            }
            // What must run before the first paint is a script without imports, once it is linked.
            let isEarly = isLinked && line.contains("/assets/js/begin.js")
            let own = isEarly ? line.split(separator: " type=\"module\"").joined() : String(line)
            made.append(
                own.split(separator: "\"/assets/", omittingEmptySubsequences: false).joined(
                    separator: "\"/assets/\(version)/"))
        }
        return made.joined(separator: "\n")
    }
}
