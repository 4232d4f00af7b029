import Aquifer
import Foundation
import HTTPServer

/// Bytes of another server that are relayed under this server's own address, where a browser could run them as a page.
///
/// Their media type is one that no browser runs, whatever their server claimed. The header `nosniff` keeps browsers
/// from guessing another type. A sandbox denies them an origin, scripts and forms if a browser opens them all the same.
enum Relayed {
    /// The expected kind of the bytes.
    enum Kind {
        case sound
        case picture
        case file
    }

    /// The media type that bytes are sent with: the claimed one if it is safe for their kind, else
    /// `application/octet-stream`.
    static func mediaType(_ claimed: String?, for kind: Kind) -> String {
        let type = claimed?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        let isFit =
            switch kind {
            case .sound: isSound(type)
            case .picture: rasters.contains(type)
            case .file: false
            }
        return isFit ? type : "application/octet-stream"
    }

    /// The raster formats. SVG is excluded: it is a document, and may contain scripts.
    private static let rasters: Set = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"]

    /// True for `audio/` and a plain name. A name with a `+` is refused: browsers interpret its suffix (`+xml`).
    private static func isSound(_ type: String) -> Bool {
        guard type.hasPrefix("audio/") else { return false }
        let name = type.dropFirst("audio/".count)
        return !name.isEmpty && !name.contains("xml")
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }

    /// The security headers of every answer with relayed bytes.
    static let headers: HTTPHeaders = [
        "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
    ]
}

extension ServerResponse {
    /// The answer of another server, relayed as it arrives.
    ///
    /// - Parameters:
    ///   - fields: The names of the fields that are kept. All others are dropped, and those whose value is empty or could not come
    ///     back unchanged.
    ///   - headers: More headers, of this server's own.
    init(
        relaying response: HTTPResponse, as kind: Relayed.Kind, keeping fields: [String],
        headers: HTTPHeaders = [:]
    ) {
        let head = response.head
        let body = response.body
        var headers = headers
        for field in fields {
            guard let value = head.headers[field], value.canBeSentBack else { continue }
            headers[field] = value
        }
        self = ServerResponse(
            status: head.status, headers: headers,
            body: .stream(length: head.contentLength.flatMap { UInt64(exactly: $0) }) { writer in
                for try await chunk in body { try await writer.write(chunk) }
            }
        )
        .relayed(head.headers["Content-Type"], as: kind)
    }

    /// This answer with relayed bytes, whose server claimed this media type.
    func relayed(_ claimed: String?, as kind: Relayed.Kind) -> ServerResponse {
        var response = self
        response.headers.set(Relayed.headers)
        if status != 304 { response.headers["Content-Type"] = Relayed.mediaType(claimed, for: kind) }
        return response
    }
}
