import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// The end of a payment's request.
enum PaymentOutcome: Sendable, Codable {
    /// With a transaction.
    case answered(PaymentTransaction)
    /// The request never left this machine. The words for developers say what kept it.
    case unsent(String? = nil)
    /// The remote refused the order with the contract's error document and this status.
    case refused(Int)
    /// The request may have arrived, and there was no answer that the contract defines.
    case unanswered

    /// Sends the request, once.
    init(of request: HTTPRequest, by client: any HTTPClient) async {
        var request = request
        let hasLeft = Locked(false)
        let wasRefused = Locked<Bool?>(nil)
        request.onSent = { bytes in if bytes > 0 { hasLeft.withLock { $0 = true } } }
        if let maySend = request.maySend {
            request.maySend = {
                let may = maySend()
                // Once it might be sent, something may have left.
                wasRefused.withLock { $0 = $0 ?? !may }
                return may
            }
        }
        let head: HTTPResponseHead
        let body: Data
        do throws(TransportError) {
            let response = try await client.send(request)
            head = response.head
            body = try await response.data(upTo: 1 << 20)
        } catch {
            // A client that asks has asked before the first byte: without a question there was no connection.
            let isAsked = client.asksBeforeSending && request.maySend != nil
            let isUnsent = error.kind.isUnsent || wasRefused.withLock { $0 } ?? isAsked
            self = !hasLeft.withLock { $0 } && isUnsent ? .unsent(error.detail) : .unanswered
            return
        }
        do {
            self = .answered(try TransactionMapper.map(head, body))
        } catch {
            self = RefusalDocument.refuses(head, body) ? .refused(head.status) : .unanswered
        }
    }
}

/// The contract's error document, `{"error":"…"}`. It distinguishes a refusal of the remote from an answer of a proxy.
enum RefusalDocument {
    /// The statuses with which the remote refuses an order before it books anything.
    private static let refusals: Set<Int> = [400, 413, 415]
    /// The remote's message on an order to an unknown receiver. The message is compared because a 404 can come from
    /// anywhere.
    private static let noUser = "no user has this destination_user_id"
    /// The remote's message on a key that it has not booked.
    private static let noTransaction = "no transaction has this key"

    /// True if this is the remote's own refusal of an order: nothing was booked.
    static func refuses(_ head: HTTPResponseHead, _ body: Data) -> Bool {
        guard let text = error(head, body) else { return false }
        return refusals.contains(head.status) || (head.status == 404 && text == noUser)
    }

    /// True if the remote, which knows of keys, says that it has booked nothing under this one.
    static func knowsNone(_ head: HTTPResponseHead, _ body: Data) -> Bool {
        head.status == 404 && error(head, body) == noTransaction
    }

    private static func error(_ head: HTTPResponseHead, _ body: Data) -> String? {
        guard head.headers["Content-Type"] == nil || head.mediaType == "application/json" else { return nil }
        // A body that is not such a document is not an answer of the remote.
        guard !JSONMembers.isAnyDoubled(in: body) else { return nil }
        let document = try? JSONDecoder().decode([String: String].self, from: body)
        return document?.count == 1 ? document?["error"] : nil
    }
}

extension TransportError.Kind {
    /// True if nothing was sent: there was no connection, or the request could not be made.
    fileprivate var isUnsent: Bool { precedesSending || self == .unsupportedURL || self == .unreadableBody }
}
