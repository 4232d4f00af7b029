import Aquifer
import AquiferConcurrency
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

/// The relays of one user. Each holds a connection to its server until its page has read it, and all users share these connections.
final class Relays: Sendable {
    /// The most at a time: a fourth of the connections to a host. A browser reads six at a time.
    static let most = 16

    private final class Place: Sendable {
        private let taken: Locked<Int>

        init?(_ taken: Locked<Int>) {
            self.taken = taken
            let isFree = taken.withLock { taken in
                taken += 1
                return taken <= Relays.most
            }
            if !isFree { return nil }
        }

        deinit { taken.withLock { $0 -= 1 } }
    }

    private let taken = Locked(0)

    /// The answer that relays, counted until it was sent; 429 if the user has too many.
    func counting(_ answer: () async -> ServerResponse) async -> ServerResponse {
        guard let place = Place(taken) else {
            return .problem(429, "busy", "this user has too many files on this server that were not read; read them")
        }
        var response = await answer()
        response.keep(place)
        return response
    }
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
