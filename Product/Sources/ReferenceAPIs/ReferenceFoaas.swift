import Foundation
import HTTPServer

/// The contract of FOAAS (`docs/reference/foaas.md`), traps included, with phrases of our own that are fit for work.
struct ReferenceFoaas: Sendable {
    private struct Phrase: Codable, Sendable {
        let name: String
        let url: String
        let fields: [[String: String]]
        let message: String
        let subtitle: String

        /// The segments of the path: `awesome` and `:from` of `/awesome/:from`.
        var segments: [Substring] { url.split(separator: "/") }
    }

    private struct Operation: Encodable {
        let name: String
        let url: String
        let fields: [[String: String]]
    }

    private struct Said: Encodable {
        let message: String
        let subtitle: String
    }

    private static let prefix = "/foaas"
    /// The longest path that is read, in bytes.
    private static let longest = 16 << 10

    private let phrases: [Phrase]

    init(media: Media) throws {
        phrases = try JSONDecoder().decode([Phrase].self, from: try media.data("phrases.json"))
    }

    var handler: ServerHandler { { request in answer(request) } }

    private func answer(_ request: ServerRequest) -> ServerResponse {
        guard request.rawPath.utf8.count <= Self.longest else { return .error(431, "the path is too long") }
        // The path is split before it is decoded: an encoded slash is part of a value.
        let raw = request.rawPath.dropFirst(Self.prefix.count).dropFirst()
            .split(separator: "/", omittingEmptySubsequences: false)
        let decoded = raw.map { $0.removingPercentEncoding }
        guard let segments = decoded as? [String] else {
            return page(400, "Bad Request", "<h1>Bad Request</h1><p>This address is not encoded well.</p>")
        }
        guard request.method == "GET" || request.method == "HEAD" else { return unknown(request) }
        if segments == ["operations"] { return operations(request) }
        guard !segments.isEmpty, segments.allSatisfy({ !$0.isEmpty }) else { return unknown(request) }
        for phrase in phrases {
            if let said = say(phrase, segments) { return negotiated(request, said) }
        }
        // Any other path of two segments is a phrase for the first, said by the second.
        guard segments.count == 2 else { return unknown(request) }
        return negotiated(
            request, Said(message: "\(segments[0]), whatever you are: no.", subtitle: "- \(segments[1])"))
    }

    private func say(_ phrase: Phrase, _ segments: [String]) -> Said? {
        let pattern = phrase.segments
        guard pattern.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (part, segment) in zip(pattern, segments) {
            if part.hasPrefix(":") {
                values[String(part.dropFirst())] = segment
            } else if part != segment {
                return nil
            }
        }
        return Said(message: fill(phrase.message, values), subtitle: fill(phrase.subtitle, values))
    }

    /// The text with `:name` replaced, in one pass: a value that looks like a placeholder is a value.
    private func fill(_ text: String, _ values: [String: String]) -> String {
        text.replacing(/:([a-z]+)/) { match in values[String(match.output.1)] ?? String(match.output.0) }
    }

    private func operations(_ request: ServerRequest) -> ServerResponse {
        guard let data = encoded(phrases.map { Operation(name: $0.name, url: $0.url, fields: $0.fields) }) else {
            return .error(500, "the answer could not be written")
        }
        return .resource(data, contentType: "application/json", etag: ETag.of(data), for: request)
    }

    /// JSON for a client that asks for it, HTML for one that takes any type, and an empty 406 for any other.
    private func negotiated(_ request: ServerRequest, _ said: Said, status: Int = 200) -> ServerResponse {
        let accepted = request.headers["Accept"] ?? "*/*"
        let types = accepted.split(separator: ",").map {
            $0.split(separator: ";")[0].trimmingCharacters(in: .whitespaces).lowercased()
        }
        if types.contains("application/json") {
            guard let data = encoded(said) else { return .error(500, "the answer could not be written") }
            guard status == 200 else { return .json(data, status: status) }
            return .resource(data, contentType: "application/json", etag: ETag.of(data), for: request)
        }
        if types.contains("text/html") || types.contains("*/*") || types.contains("text/*") {
            return page(
                status, said.message, "<h1>\(escaped(said.message))</h1><p><em>\(escaped(said.subtitle))</em></p>")
        }
        return .empty(406)
    }

    /// The remote's answer to an unknown path: a phrase, with a status of its own.
    private func unknown(_ request: ServerRequest) -> ServerResponse {
        guard let data = encoded(Said(message: "622 - All manner of wrong.", subtitle: "The reference FOAAS")) else {
            return .error(500, "the answer could not be written")
        }
        return .json(data, status: 622)
    }

    private func page(_ status: Int, _ title: String, _ body: String) -> ServerResponse {
        let html = "<!DOCTYPE html><html><head><title>\(escaped(title))</title></head><body>\(body)</body></html>"
        return ServerResponse(
            status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(Data(html.utf8)))
    }

    private func escaped(_ text: String) -> String {
        let entities = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
        return entities.reduce(text) { $0.replacingExactly($1.0, with: $1.1) }
    }

    private func encoded(_ value: some Encodable) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(value)  // texts always encode; else the answer is a 500
    }
}
