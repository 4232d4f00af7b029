import Foundation
import HTTPServer

/// The pages without their contents: texts, scripts, styles, and the one page.
enum PageFiles {
    private static let files = StaticFiles(
        root: (Bundle.module.resourceURL ?? URL(filePath: "/nonexistent")).appending(path: "Public"))

    /// `/assets/words/…` are the texts of a language, `/assets/…` are files; every other address is the one page, which
    /// shows the screen that the address names.
    static func answer(_ request: ServerRequest) -> ServerResponse {
        if let words = PageWords.response(for: request) { return words }
        let prefix = "/assets/"
        if request.rawPath.hasPrefix(prefix) {
            return files.response(for: request, path: "/" + request.rawPath.dropFirst(prefix.count))
        }
        if request.rawPath == "/favicon.ico" { return files.response(for: request, path: "/icons/favicon.svg") }
        return files.response(for: request, path: "/index.html")
    }
}
