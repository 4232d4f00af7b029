import Aquifer
import AquiferFoundation

/// The REST API of Shadow Drive v1, with one function per endpoint. It keeps no state and signs nothing.
///
/// - Any 2xx is a success. Any other status, and a 2xx with an `error`, is ``DriveError/refused(_:)`` with the server's
///   words. A response that does not match the contract is ``DriveError/invalidData(_:)``.
/// - A question is repeated according to the `RetryPolicy`. A change is sent once.
/// - Source of the contract: the public SDKs (`docs/reference/shadow-drive.md`).
public struct ShadowDriveAPI: Sendable {
    /// The base address of the API.
    public let base: URL
    /// The base address of the files.
    public let files: URL
    let client: any HTTPClient
    private let retry: RetryPolicy

    /// The public base address of the API. The service itself no longer responds.
    public static let publicBase = "https://shadow-storage.genesysgo.net"
    /// The public base address of the files.
    public static let publicFiles = "https://shdw-drive.genesysgo.net"

    /// Creates an API.
    ///
    /// - Parameters:
    ///   - base: the base address of the API.
    ///   - files: the base address of the files.
    ///   - client: the client that sends the requests.
    ///   - retry: the policy for repeating a question; never by default.
    public init(base: URL, files: URL, client: any HTTPClient, retry: RetryPolicy = .never) {
        self.base = base
        self.files = files
        self.client = client
        self.retry = retry
    }

    /// The address of a file.
    ///
    /// - Throws: ``FileError/badName(name:reason:)`` for a name that no address can have: it would lead elsewhere.
    public func location(of name: String, in account: PublicKey) throws(DriveError) -> FileLocation {
        guard let location = FileLocation(name, in: account, base: files) else {
            throw .file(.badName(name: name, reason: FileLocation.badNameReason))
        }
        return location
    }

    // MARK: One request

    /// The effect of a request, which decides if it may be repeated automatically.
    enum Effect {
        /// The request changes nothing.
        case question
        /// The request changes something.
        case change
    }

    func post<Answer: Decodable & Sendable>(
        _ path: String, _ body: [String: String], _ effect: Effect, as answer: Answer.Type = Answer.self
    ) async throws(DriveError) -> Answer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes: Data
        do { bytes = try encoder.encode(body) } catch {
            throw .invalidData(.body("the request cannot be written"))  // strings always can
        }
        return try await ask(
            HTTPRequest(
                .post, base.appending(path: path),
                headers: ["Content-Type": "application/json", "Accept": "application/json"], body: .bytes(bytes)),
            effect, path)
    }

    func ask<Answer: Decodable & Sendable>(
        _ request: HTTPRequest, _ effect: Effect, _ path: String, as answer: Answer.Type = Answer.self
    ) async throws(DriveError) -> Answer {
        do throws(DriveError) {
            return try await WholeAnswer(to: request, client, effect == .question ? retry : .never).decode(path)
        } catch { throw effect == .question ? error : error.afterSending }
    }
}

/// A whole response of the server, not validated yet.
struct WholeAnswer: Sendable {
    let head: HTTPResponseHead
    let body: Data

    private init(head: HTTPResponseHead, body: Data) {
        self.head = head
        self.body = body
    }

    init(to request: HTTPRequest, _ client: any HTTPClient, _ retry: RetryPolicy) async throws(DriveError) {
        do throws(LoadError) {
            self = try await RemoteLoader(
                request, client: client, retry: retry, map: { Self(head: $0, body: $1) }
            ).load()
        } catch { throw DriveError(error) }
    }

    private struct ErrorBody: Decodable {
        let error: String
    }

    /// The server's own error message, if there is one.
    private var words: String? {
        // A response without such JSON has no words.
        guard let words = (try? JSONDecoder().decode(ErrorBody.self, from: body))?.error, !words.isEmpty else {
            return nil
        }
        return words
    }

    func decode<Answer: Decodable>(_ path: String) throws(DriveError) -> Answer {
        guard HTTPStatus.isSuccess(head.status) else {
            // A response that is not JSON may still be a line of text; an HTML page is not.
            let text = String(decoding: body.prefix(2048), as: UTF8.self)
            let isForeign = DriveRefusal.gateways.contains(head.status) || text.contains("<") || text.hasPrefix("{")
            let words = words ?? (isForeign ? "" : text)
            let isEmpty = head.status == 500 && path == "list-objects"
            throw .refused(DriveRefusal(status: head.status, words: words, reason: isEmpty ? .emptyAccount : nil))
        }
        if let words { throw .refused(DriveRefusal(status: head.status, words: words)) }
        do {
            return try JSONDecoder().decode(Answer.self, from: body)
        } catch {
            throw .invalidData(InvalidData(mapping: error))
        }
    }
}
