import Foundation
import HTTPServer

/// The pages without their contents: texts, scripts, styles, and the one page.
enum PageFiles {
    private static let files = StaticFiles(
        root: (Bundle.module.resourceURL ?? URL(filePath: "/nonexistent")).appending(path: "Public"))

    /// `/assets/VERSION/…` are the files of ``LinkedPages``, `/assets/words/…` the texts of a language, `/assets/…` the plain files;
    /// every other address is the one page, which shows the screen that the address names.
    static func answer(_ request: ServerRequest) -> ServerResponse {
        // Pages that cannot be linked are served as they are: slower, and no worse. Tests look for the fault.
        if case .success(let pages) = LinkedPages.own, let answer = pages.response(for: request) { return answer }
        if let words = PageWords.response(for: request) { return words }
        let prefix = "/assets/"
        if request.rawPath.hasPrefix(prefix) {
            return files.response(for: request, path: "/" + request.rawPath.dropFirst(prefix.count))
        }
        if request.rawPath == "/favicon.ico" { return files.response(for: request, path: "/icons/favicon.svg") }
        return files.response(for: request, path: "/index.html")
    }
}
