import Aquifer
import AquiferFoundation

/// The remote's record of a payment.
struct PaymentTransaction: Sendable, Hashable, Codable {
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
            let status: String
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
                // `Decimal` reads the beginning of a text, so the whole text is checked first.
                guard text.wholeMatch(of: /-?[0-9]{1,20}(?:\.[0-9]{1,20})?/) != nil,
                    let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
                else { throw InvalidData.body(".transaction.value is not a number") }
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
        guard !JSONMembers.isAnyDoubled(in: body) else { throw InvalidData.body("a field stands twice in it") }
        let item = try JSONDecoder().decode(Answer.self, from: body).transaction
        // An answer that contradicts itself, or speaks of a third state, decides nothing.
        guard item.status == (item.success ? "Aprovada" : "Recusada") else {
            throw InvalidData.body(".transaction.success and .status do not agree")
        }
        let date = Date(timeIntervalSince1970: item.timestamp)
        guard date.isRFC3339 else { throw InvalidData.body(".transaction.timestamp is not in the years 0000 to 9999") }
        return PaymentTransaction(
            number: item.id, date: date, cents: item.value.cents,
            contactID: item.destination_user.id, isApproved: item.success)
    }
}
