import AquiferCrypto
import AquiferWording
import Foundation
import HTTPServer

/// The texts of the pages: `/assets/words/pt-BR.json` is the catalogue of that language, and of no other.
enum PageWords {
    private static let prefix = "/assets/words/"

    /// The catalogue that the request names; `nil` if the request is for something else. A language that is not built in
    /// gets the catalogue that suits it best.
    static func response(for request: ServerRequest) -> ServerResponse? {
        let path = request.rawPath
        guard ["GET", "HEAD"].contains(request.method), path.hasPrefix(prefix), path.hasSuffix(".json") else {
            return nil
        }
        let language = Language.best(for: String(path.dropFirst(prefix.count).dropLast(".json".count)))
        // Texts are always encodable; a page without texts shows their keys.
        let json = (try? language.json()) ?? Data("{}".utf8)
        var hash = SHA256Hash()
        hash.update(json)
        return .resource(
            json, contentType: "application/json", etag: hash.finish().base64EncodedString(),
            headers: ["Cache-Control": "no-cache", "Content-Language": language.tag], for: request)
    }
}
