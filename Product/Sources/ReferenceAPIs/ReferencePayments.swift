import Foundation
import HTTPServer

/// The payments' contract (`docs/reference/payments.md`): contacts with avatars, and transactions that are decided once.
///
/// No answer repeats a card's number or code. The last four digits of the number are kept, and nothing of the code.
struct ReferencePayments: Sendable {
    private struct User: Codable, Sendable {
        let id: Int
        let name: String
        let username: String
        /// The name of the picture under `avatars/`.
        let avatar: String
        /// True if the address of the avatar leads nowhere, as some do.
        let lacksAvatar: Bool
    }

    private struct WrittenUser: Encodable {
        let id: Int
        let name: String
        let img: String
        let username: String
    }

    private let users: [User]
    private let avatars: [String: Data]
    private let ledger: TransactionLedger
    private let now: @Sendable () -> Date

    /// - Parameter folder: the folder of the transactions; `nil` keeps them in memory.
    init(media: Media, folder: URL?, now: @escaping @Sendable () -> Date) throws {
        ledger = TransactionLedger(folder: folder)
        let users = try JSONDecoder().decode([User].self, from: try media.data("users.json"))
        self.users = users
        avatars = Dictionary(
            uniqueKeysWithValues: try users.filter { !$0.lacksAvatar }
                .map { ($0.avatar, try media.data("avatars/\($0.avatar)")) })
        self.now = now
    }

    var handler: ServerHandler {
        var router = Router()
        router.on("GET", "/payments/users") { request, _ in contacts(request) }
        router.on("GET", "/payments/avatars/:name") { request, parameters in
            avatar(request, named: parameters["name"] ?? "")
        }
        router.on("POST", "/payments/transaction") { request, _ in await pay(request) }
        router.on("GET", "/payments/transaction") { request, _ in await find(request) }
        return router.handle
    }

    private func contacts(_ request: ServerRequest) -> ServerResponse {
        guard let data = encoded(users.map { written($0, for: request) }) else { return unwritable }
        return .resource(data, contentType: "application/json", etag: ETag.of(data), for: request)
    }

    private func avatar(_ request: ServerRequest, named name: String) -> ServerResponse {
        guard let data = avatars[name] else { return .error(404, "there is no avatar of this name") }
        // An avatar never changes under its name: name and size tell versions of the package apart.
        return .resource(data, contentType: "image/jpeg", etag: "\(name)-\(data.count)", for: request)
    }

    private func pay(_ request: ServerRequest) async -> ServerResponse {
        let key = request.headers["Idempotency-Key"]
        guard key.map({ (1...255).contains($0.utf8.count) }) ?? true else {
            return .error(400, "Idempotency-Key must have 1 to 255 characters")
        }
        do throws(PaymentOrder.Defect) {
            let order = try await PaymentOrder(request)
            guard users.contains(where: { $0.id == order.receiver }) else {
                return .error(404, "no user has this destination_user_id")
            }
            do throws(TransactionLedger.Failure) {
                return answer(try await ledger.transaction(for: order, key: key, at: now()), for: request)
            } catch { return answer(error) }
        } catch {
            return .error(error.status, error.message)
        }
    }

    /// An addition to the contract: a client that got no answer learns here if the payment was made.
    private func find(_ request: ServerRequest) async -> ServerResponse {
        guard let key = request.queryValue("idempotency_key"), !key.isEmpty else {
            return .error(400, "idempotency_key is missing")
        }
        do throws(TransactionLedger.Failure) {
            guard let transaction = try await ledger.transaction(key: key) else {
                return .error(404, "no transaction has this key")
            }
            return answer(transaction, for: request)
        } catch { return answer(error) }
    }

    private func answer(_ failure: TransactionLedger.Failure) -> ServerResponse {
        switch failure {
        case .keyTaken: .error(422, "this Idempotency-Key stands for another order")
        case .unusable(let reason): .error(500, "the transactions cannot be used: \(reason)")
        case .left: .error(500, "the request went away before its turn came")
        }
    }

    private func answer(_ transaction: LedgerTransaction, for request: ServerRequest) -> ServerResponse {
        guard let user = users.first(where: { $0.id == transaction.receiver }),
            let receiver = encoded(written(user, for: request))
        else { return unwritable }
        let seconds = Int(transaction.date.timeIntervalSince1970)
        let status = transaction.isApproved ? "Aprovada" : "Recusada"
        // The body is written by hand for the two decimals: an encoder would turn 79.90 into a number of its own.
        let body = """
            {"transaction":{"id":\(transaction.id),"timestamp":\(seconds),"value":\(decimal(transaction.cents)),\
            "destination_user":\(String(decoding: receiver, as: UTF8.self)),\
            "success":\(transaction.isApproved),"status":"\(status)"}}
            """
        return .json(Data(body.utf8))
    }

    private func decimal(_ cents: Int) -> String {
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private func written(_ user: User, for request: ServerRequest) -> WrittenUser {
        // The avatars have the host that the client used.
        let host = request.headers["Host"] ?? "127.0.0.1"
        return WrittenUser(
            id: user.id, name: user.name, img: "http://\(host)/payments/avatars/\(user.avatar)", username: user.username
        )
    }

    private func encoded(_ value: some Encodable) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(value)  // numbers and texts always encode; else the answer is a 500
    }

    private var unwritable: ServerResponse { .error(500, "the answer could not be written") }
}
