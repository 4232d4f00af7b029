import AquiferCrypto
import AquiferWording
import Foundation
import HTTPServer

/// The files of the pages as browsers get them: put together, compressed, and under an address that has the hash of all of them. Such
/// a file never changes, so a browser keeps it for ever; another version has another address.
///
/// `Scripts/link-pages` puts the modules together before the build. Where it could not, they are given as they are.
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
    /// True if the modules are one file.
    let isLinked: Bool
    private var files: [String: File] = [:]
    private let page: File

    init(folder: URL) throws(PageFault) {
        let sources = try Self.read(folder)
        var hash = SHA256Hash()
        for (path, bytes) in sources.sorted(by: { $0.key < $1.key }) {
            hash.update(Data("\(path) \(bytes.count)\n".utf8))
            hash.update(bytes)
        }
        func source(_ path: String) -> String? { sources[path].map { String(decoding: $0, as: UTF8.self) } }
        guard let html = source("index.html"), sources["js/main.js"] != nil, sources["js/begin.js"] != nil else {
            throw PageFault(place: folder.path, reason: "the pages are not all there")
        }
        isLinked = Self.isLinked(sources)
        for language in Language.builtIn {
            // Texts are always encodable; without them a page shows their keys.
            let json = (try? language.json()) ?? Data("{}".utf8)
            files["words/\(language.tag).json"] = Self.file(json, "json")
            hash.update(json)
        }
        version = hash.finish().prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // The maps name the modules, which tools of developers then ask for.
        for (path, bytes) in sources where path.hasPrefix("js/") && path.hasSuffix(".js") {
            files[path] = Self.file(bytes, path)
        }
        for name in isLinked ? ["main.js", "main.js.map", "begin.js", "begin.js.map"] : [] {
            guard let bytes = sources["linked/\(name)"] else { continue }
            files["js/\(name)"] = Self.file(bytes, name.hasSuffix(".map") ? "json" : "js")
        }
        let frame = PageFrame(html)
        files["css/pages.css"] = Self.file(Data(frame.styles.compactMap(source).joined(separator: "\n").utf8), "css")
        for (path, bytes) in sources where path.hasPrefix("icons/") || path.hasSuffix(".webmanifest") {
            files[path] = Self.file(bytes, path)
        }
        page = Self.file(Data(frame.html(version: version, isLinked: isLinked).utf8), "html")
    }

    /// True if the modules were put together, and have not been changed since.
    private static func isLinked(_ sources: [String: Data]) -> Bool {
        guard let sum = sources["linked/sources.sha256"], sources["linked/main.js"] != nil else { return false }
        var hash = SHA256Hash()
        let modules = sources.filter { $0.key.hasPrefix("js/") && $0.key.hasSuffix(".js") }
        for (_, bytes) in modules.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
            hash.update(bytes)
        }
        let hex = hash.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return String(decoding: sum, as: UTF8.self).hasPrefix(hex)
    }

    /// The page, or the file of this version; `nil` if the request is for something else.
    func response(for request: ServerRequest) -> ServerResponse? {
        guard ["GET", "HEAD"].contains(request.method) else { return nil }
        let path = request.rawPath
        if path == "/favicon.ico" { return nil }
        guard path.hasPrefix("/assets/") else {
            return Self.answer(page, tag: version, keeping: "no-cache", request)
        }
        let prefix = "/assets/\(version)/"
        guard path.hasPrefix(prefix) else { return nil }
        let name = String(path.dropFirst(prefix.count))
        guard let file = files[name] else { return nil }
        return Self.answer(file, tag: version, keeping: "public, max-age=31536000, immutable", request)
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
