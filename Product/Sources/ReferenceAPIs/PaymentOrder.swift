import Foundation
import HTTPServer

/// The order in a `POST /transaction`, checked field by field.
///
/// An order lives only as long as its request: a transaction keeps the card's last four digits and nothing else of it.
struct PaymentOrder: Hashable, Sendable {
    let cardNumber: String
    let securityCode: Int
    let cents: Int
    let expiry: String
    let receiver: Int

    /// R$ 1.000.000,00.
    static let largestAmount = 100_000_000

    /// The reason why an order is refused. The texts name fields and never repeat their contents: those could be a card
    /// number.
    struct Defect: Error {
        let status: Int
        let message: String
    }

    /// Reads the body of a request.
    init(_ request: ServerRequest) async throws(Defect) {
        let type = request.headers["Content-Type"]?.split(separator: ";").first
        guard type?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json" else {
            throw Defect(status: 415, message: "send application/json")
        }
        let body: Data
        do throws(ServerBodyError) { body = try await request.body.collect(upTo: 16 << 10) } catch {
            throw Defect(status: 413, message: "an order takes at most 16384 bytes")
        }
        try self.init(json: body)
    }

    init(json: Data) throws(Defect) {
        let fields: Fields
        do { fields = try JSONDecoder().decode(Fields.self, from: json) } catch let refusal as Defect {
            throw refusal
        } catch {
            throw Defect(status: 400, message: "the body must be a JSON object")
        }
        guard Self.isDigits(fields.cardNumber), (12...19).contains(fields.cardNumber.utf8.count) else {
            throw Defect(status: 400, message: "card_number must be a text of 12 to 19 digits")
        }
        guard (0...9999).contains(fields.cvv) else {
            throw Defect(status: 400, message: "cvv must be a number of at most four digits")
        }
        guard Self.isExpiry(fields.expiryDate) else {
            throw Defect(status: 400, message: "expiry_date must be a text such as 01/18")
        }
        cardNumber = fields.cardNumber
        securityCode = fields.cvv
        cents = try Self.cents(of: fields.value)
        expiry = fields.expiryDate
        receiver = fields.destinationUserID
    }

    /// The last four digits of the card, which may be kept.
    var lastFour: String { String(cardNumber.suffix(4)) }

    /// The challenge's test card, and every card whose check digit is right and even.
    var isApproved: Bool { cardNumber == "1111111111111111" || (passesLuhn && endsEven) }

    private var endsEven: Bool { cardNumber.utf8.last.map { $0 % 2 == 0 } ?? false }

    private var passesLuhn: Bool {
        let sum = cardNumber.utf8.reversed().enumerated().reduce(0) { sum, next in
            let digit = Int(next.element) - 48
            let weighted = next.offset.isMultiple(of: 2) ? digit : digit * 2
            return sum + (weighted > 9 ? weighted - 9 : weighted)
        }
        return sum.isMultiple(of: 10)
    }

    private static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func isExpiry(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && isDigits($0) }) else { return false }
        return Int(parts[0]).map { (1...12).contains($0) } ?? false
    }

    /// The exact amount: the decoder reads a `Decimal` from the digits as written, never through a `Double`.
    private static func cents(of value: Decimal) throws(Defect) -> Int {
        guard value > 0 else { throw Defect(status: 400, message: "value must be more than zero") }
        guard value <= Decimal(largestAmount) / 100 else {
            throw Defect(status: 400, message: "value must be at most 1000000.00")
        }
        var exact = value * 100
        var whole = Decimal()
        NSDecimalRound(&whole, &exact, 0, .plain)
        guard whole == exact else { throw Defect(status: 400, message: "value must have at most two decimals") }
        return NSDecimalNumber(decimal: whole).intValue
    }
}

/// The fields as they are written. A missing field and one of another type each have an error of their own.
private struct Fields: Decodable {
    let cardNumber: String
    let cvv: Int
    let value: Decimal
    let expiryDate: String
    let destinationUserID: Int

    enum CodingKeys: String, CodingKey {
        case cardNumber = "card_number"
        case cvv
        case value
        case expiryDate = "expiry_date"
        case destinationUserID = "destination_user_id"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ type: String) throws -> Value {
            guard fields.contains(key) else {
                throw PaymentOrder.Defect(status: 400, message: "\(key.rawValue) is missing")
            }
            do { return try fields.decode(Value.self, forKey: key) } catch {
                throw PaymentOrder.Defect(status: 400, message: "\(key.rawValue) must be a \(type)")
            }
        }
        cardNumber = try read(.cardNumber, "text")
        cvv = try read(.cvv, "number")
        value = try read(.value, "number")
        expiryDate = try read(.expiryDate, "text")
        destinationUserID = try read(.destinationUserID, "number")
    }
}
