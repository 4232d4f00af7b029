import Foundation
import Payments

/// Sends a payment. At a signal it reports that the payment may have been made, because the request is not cancelled.
enum PaymentSending {
    /// Runs `send`.
    ///
    /// - Parameters:
    ///   - besides: the payments of this amount to this person that were known before.
    ///   - id: the payment, if it is an earlier one that is sent again.
    /// - Returns: The payment with its outcome.
    /// - Throws: `.interrupted` at a signal, with the command that asks for the outcome.
    static func run(
        _ amount: Money, to contact: Contact, besides: Set<UUID>, again id: UUID? = nil, _ payments: PaymentsService,
        _ send: @escaping @Sendable () async throws(PaymentError) -> PaymentRecord
    ) async throws(CommandError) -> PaymentRecord {
        let (result, _) = await Interruption.ending { () async -> Result<PaymentRecord, PaymentError>? in
            let (ends, continuation) = AsyncStream.makeStream(of: Result<PaymentRecord, PaymentError>.self)
            // The desk does not stop a request that was sent. A task of its own lets a cancelled caller end without
            // waiting.
            Task {
                do throws(PaymentError) { continuation.yield(.success(try await send())) } catch {
                    continuation.yield(.failure(error))
                }
                continuation.finish()
            }
            for await end in ends { return end }
            return nil
        }
        guard let result else { throw await interrupted(amount, contact, besides, id, payments) }
        do throws(PaymentError) { return try result.get() } catch { throw CommandError(error) }
    }

    private static func interrupted(
        _ amount: Money, _ contact: Contact, _ besides: Set<UUID>, _ id: UUID?, _ payments: PaymentsService
    ) async -> CommandError {
        // If the ledger cannot be read, the message names no payment.
        let begun = (try? await payments.desk.unresolved(amount, to: contact)) ?? []
        let way =
            (id ?? begun.map(\.id).first { !besides.contains($0) })
            .map { "ask with aquifer payments check \($0.uuidString)" }
            ?? "aquifer payments list shows whether it was begun"
        return CommandError(
            status: .interrupted, message: "interrupted; it is not known whether the payment was made: \(way)")
    }
}
