import Aquifer
import AquiferFoundation

/// The remote's record of a payment.
struct PaymentTransaction: Sendable, Hashable {
    let number: Int
    let date: Date
    let cents: Int
    let contactID: Int
    let isApproved: Bool
}

/// Decodes a transaction from `{"transaction":{"id","timestamp","value","destination_user":{…},"success","status"}}`,
/// with status 200. `value` is a number or a text; `timestamp` is in UNIX seconds.
enum TransactionMapper {
    private struct Answer: Decodable {
        struct Item: Decodable {
            struct User: Decodable { let id: Int }
            let id: Int
            let timestamp: Double
            let value: Amount
            let destination_user: User  // swift-format-ignore: AlwaysUseLowerCamelCase
            let success: Bool
        }
        let transaction: Item
    }

    private struct Amount: Decodable {
        let cents: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let value: Decimal
            do {
                value = try container.decode(Decimal.self)
            } catch {
                let text = try container.decode(String.self)
                guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
                    throw InvalidData.body(".transaction.value is not a number")
                }
                value = number
            }
            let hundredfold = value * 100
            // A fraction of a cent beyond binary rounding errors makes another amount than the one sent.
            guard hundredfold.isFinite, abs(hundredfold) < 1_000_000_000_001,
                let rounded = Double(hundredfold.description).map({ Int($0.rounded()) }),
                abs(Decimal(rounded) - hundredfold) < Decimal(string: "0.0001") ?? 0, abs(rounded) < 1_000_000_000_000
            else { throw InvalidData.body(".transaction.value is no amount of money") }
            cents = rounded
        }
    }

    static func map(_ head: HTTPResponseHead, _ body: Data) throws -> PaymentTransaction {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        let item = try JSONDecoder().decode(Answer.self, from: body).transaction
        return PaymentTransaction(
            number: item.id, date: Date(timeIntervalSince1970: item.timestamp), cents: item.value.cents,
            contactID: item.destination_user.id, isApproved: item.success)
    }
}
