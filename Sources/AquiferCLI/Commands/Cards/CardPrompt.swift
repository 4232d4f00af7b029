import App
import AquiferWording
import Foundation
import Payments

/// Asks for a card and keeps it. On a terminal its number is not shown while it is typed; else each answer is a line of
/// standard input.
struct CardPrompt {
    private static let tries = 3

    let payments: PaymentsService
    let console: Console
    let now: @Sendable () -> Date

    /// Asks for a card, and keeps it as the default.
    func keep() async throws(CommandError) -> CardSummary {
        let number = try number()
        let holder = try holder(try console.ask("Name on the card: "))
        let expiry = try expiry(try console.ask("Expiry (MM/YY): "), of: number)
        do throws(VaultError) { return try await payments.add(number, holder: holder, expiry: expiry) } catch {
            throw CommandError(error)
        }
    }

    /// Reads the number. On a terminal it then shows the brand and the masked number, because the typed text is not
    /// displayed.
    private func number() throws(CommandError) -> CardNumber {
        guard Descriptor.input.isTerminal else { return try number(try console.line("card number")) }
        var tried = 0
        while true {
            tried += 1
            let text = console.secret("Card number (it is not shown): ") ?? ""
            do throws(CommandError) {
                let number = try number(text)
                console.note("\(number.brand?.name ?? "Test card") \(number.masked)")
                return number
            } catch {
                if text.isEmpty || tried == Self.tries { throw error }
                console.note(error.message)
            }
        }
    }

    private func number(_ text: String) throws(CommandError) -> CardNumber {
        do throws(CardNumberError) {
            return try CardNumber(text, allowsTestCard: payments.allowsTestCard)
        } catch { throw CommandError(status: .usage, message: error.message(in: .english)) }
    }

    private func holder(_ text: String) throws(CommandError) -> String {
        do throws(HolderNameError) {
            return try HolderName.parse(text)
        } catch { throw CommandError(status: .usage, message: error.message(in: .english)) }
    }

    private func expiry(_ text: String, of number: CardNumber) throws(CommandError) -> Expiry {
        if number.isTestCard, let expiry = Expiry(ofTestCard: text) { return expiry }
        do throws(ExpiryError) {
            return try Expiry(parsing: text, now: now())
        } catch { throw CommandError(status: .usage, message: error.message(in: .english)) }
    }
}
