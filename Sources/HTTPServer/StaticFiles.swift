import Foundation

/// Serves the files of a folder, and nothing else.
///
/// A path is taken apart before it is decoded, and refused if a segment is `..`, begins with a dot, is empty or holds
/// a slash, a backslash or a NUL; a symbolic link that leads out of the folder is not followed. A path that ends in
/// `/` is answered with the folder's `index.html`. Answers carry an entity tag and `Last-Modified` and honour
/// conditions and ranges.
public struct StaticFiles: Sendable {
    private let root: String

    /// The files below `root`.
    public init(root: URL) {
        self.root = ServedFile.resolved(root.path) ?? root.path
    }

    /// Answers with the file at the request's path: 404 if there is none, 405 for other methods than `GET` and `HEAD`.
    @Sendable public func handle(_ request: ServerRequest) async -> ServerResponse {
        response(for: request, path: request.rawPath)
    }

    /// Answers with the file at `path` (percent-encoded, below the root), for files that live under a prefix.
    public func response(for request: ServerRequest, path: String) -> ServerResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = ServerResponse.refusal(405, "method not allowed")
            response.headers["Allow"] = "GET, HEAD"
            return response
        }
        guard let file = locate(path), let status = ServedFile(file) else {
            return .refusal(404, "not found")
        }
        return .resource(
            length: status.length, contentType: Self.contentType(of: file),
            etag: String(status.length, radix: 16) + "-" + String(status.modifiedNanoseconds, radix: 16),
            lastModified: status.modified, headers: ["Cache-Control": "no-cache"], for: request
        ) { part in
            .file(path: file, offset: part.lowerBound, length: part.upperBound - part.lowerBound)
        }
    }

    private func locate(_ path: String) -> String? {
        var segments: [String] = []
        var encoded = path.drop { $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)
        if encoded.last?.isEmpty ?? true {
            if !encoded.isEmpty { encoded.removeLast() }
            encoded.append("index.html")
        }
        for segment in encoded {
            let name = PercentEncoding.decode(segment)
            let isSafe =
                !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == 0 || $0 == 0x2F || $0 == 0x5C }
            guard isSafe else { return nil }
            segments.append(name)
        }
        guard let file = ServedFile.resolved(root + "/" + segments.joined(separator: "/")), file.hasPrefix(root + "/")
        else { return nil }
        return file
    }

    /// The media type of a file's name; `application/octet-stream` for one that is not known.
    public static func contentType(of path: String) -> String {
        switch path.split(separator: ".").last.map({ $0.lowercased() }) {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "txt": "text/plain; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "ico": "image/x-icon"
        case "mp3": "audio/mpeg"
        case "woff2": "font/woff2"
        default: "application/octet-stream"
        }
    }
}
