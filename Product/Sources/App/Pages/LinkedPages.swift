import AquiferCrypto
import AquiferWording
import Foundation
import HTTPServer

/// The files of the pages as browsers get them: put together, compressed, and under an address that has the hash of all of them. Such
/// a file never changes, so a browser keeps it for ever; another version has another address.
struct LinkedPages: Sendable {
    private struct File: Sendable {
        let bytes: Data
        let compressed: Data?
        let type: String
    }

    /// The pages of this program. They are read once, at the first request for a page.
    static let own = Result { () throws(PageFault) in
        try LinkedPages(folder: (Bundle.module.resourceURL ?? URL(filePath: "/nonexistent")).appending(path: "Public"))
    }

    /// The hash of all files.
    let version: String
    /// The modules of the screens, by address.
    let routes: PageRoutes
    private var files: [String: File] = [:]
    private var chunks: [String: PageLinker.Chunk] = [:]
    /// The one page, by the module of the screen that it asks for.
    private var pages: [String?: File] = [:]

    init(folder: URL) throws(PageFault) {
        let sources = try Self.read(folder)
        var hash = SHA256Hash()
        for (path, bytes) in sources.sorted(by: { $0.key < $1.key }) {
            hash.update(Data("\(path) \(bytes.count)\n".utf8))
            hash.update(bytes)
        }
        func source(_ path: String) -> String? { sources[path].map { String(decoding: $0, as: UTF8.self) } }
        guard let html = source("index.html"), let main = source("js/main.js"),
            let addresses = source("js/logic/routes.js")
        else { throw PageFault(place: folder.path, reason: "the pages are not all there") }
        routes = try PageRoutes(routes: addresses, main: main)
        for language in Language.builtIn {
            // Texts are always encodable; without them a page shows their keys.
            let json = (try? language.json()) ?? Data("{}".utf8)
            files["words/\(language.tag).json"] = Self.file(json, "json")
            hash.update(json)
        }
        version = hash.finish().prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        chunks = try PageLinker(root: "js/main.js", read: source).chunks()
        for (path, chunk) in chunks {
            let name = path.split(separator: "/").last ?? ""
            files[path] = Self.file(Data("\(chunk.text)//# sourceMappingURL=\(name).map\n".utf8), "js")
        }
        if let first = try PageLinker(root: "js/begin.js", read: source).chunks()["js/begin.js"] {
            files["js/begin.js"] = Self.file(Data(first.script.utf8), "js")
        }
        let frame = PageFrame(html)
        files["css/pages.css"] = Self.file(Data(frame.styles.compactMap(source).joined(separator: "\n").utf8), "css")
        for (path, bytes) in sources where path.hasPrefix("icons/") || path.hasSuffix(".webmanifest") {
            files[path] = Self.file(bytes, path)
        }
        for module in [nil] + routes.modules.map(Optional.init) {
            let needed = module.map { [$0] + (chunks[$0]?.needs ?? []).filter { $0 != "js/main.js" } } ?? []
            pages[module] = Self.file(Data(frame.html(version: version, modules: needed).utf8), "html")
        }
    }

    /// The page, or the file of this version; `nil` if the request is for something else.
    func response(for request: ServerRequest) -> ServerResponse? {
        guard ["GET", "HEAD"].contains(request.method) else { return nil }
        let path = request.rawPath
        if path == "/favicon.ico" { return nil }
        guard path.hasPrefix("/assets/") else {
            let page = pages[routes.module(at: path)] ?? pages[nil]
            return page.map {
                Self.answer($0, tag: version + (routes.module(at: path) ?? ""), keeping: "no-cache", request)
            }
        }
        let prefix = "/assets/\(version)/"
        guard path.hasPrefix(prefix) else { return nil }
        let name = String(path.dropFirst(prefix.count))
        guard let file = files[name] ?? map(name) else { return nil }
        return Self.answer(file, tag: version, keeping: "public, max-age=31536000, immutable", request)
    }

    /// Only the tools of a developer ask for it.
    private func map(_ name: String) -> File? {
        guard name.hasSuffix(".map"), let chunk = chunks[String(name.dropLast(".map".count))] else { return nil }
        // From `/assets/VERSION/js/…` to `/assets/js/…`.
        let folder = String(repeating: "../", count: name.split(separator: "/").count)
        // A table of numbers and paths is always encodable.
        return (try? JSONEncoder().encode(SourceMap(chunk, folder: folder))).map {
            File(bytes: $0, compressed: nil, type: "application/json")
        }
    }

    private static func answer(
        _ file: File, tag: String, keeping: String, _ request: ServerRequest
    ) -> ServerResponse {
        let packed = Gzip.isAccepted(by: request) ? file.compressed : nil
        var headers: HTTPHeaders = ["Cache-Control": keeping, "Vary": "Accept-Encoding"]
        if packed != nil { headers["Content-Encoding"] = "gzip" }
        return .resource(
            packed ?? file.bytes, contentType: file.type, etag: packed == nil ? tag : tag + "-gzip", headers: headers,
            for: request)
    }

    private static func file(_ bytes: Data, _ name: String) -> File {
        let type = StaticFiles.contentType(of: name.contains(".") ? name : "x.\(name)")
        // A picture is compressed already.
        return File(bytes: bytes, compressed: type == "image/png" ? nil : Gzip.compress(bytes), type: type)
    }

    private static func read(_ folder: URL) throws(PageFault) -> [String: Data] {
        var files: [String: Data] = [:]
        guard let names = FileManager.default.enumerator(atPath: folder.path) else {
            throw PageFault(place: folder.path, reason: "the folder of the pages cannot be read")
        }
        for case let name as String in names where name.split(separator: "/").last?.contains(".") == true {
            guard let bytes = FileManager.default.contents(atPath: folder.appending(path: name).path) else {
                throw PageFault(place: name, reason: "it cannot be read")
            }
            files[name] = bytes
        }
        return files
    }
}
