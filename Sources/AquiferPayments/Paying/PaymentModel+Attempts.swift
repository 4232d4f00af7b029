import Aquifer
import AquiferFoundation

/// Attempts that a page has begun with another model: that of a server that is gone, or one that was forgotten.
extension PaymentModel {
    /// Shows the outcome of an attempt, as far as it is recorded. Nothing is sent. An attempt that was not recorded was not sent,
    /// and leaves the form as it is; so does one that failed or was given up.
    ///
    /// - Parameter attempt: The key that the page has given to ``pay(attempt:doubts:)``.
    /// - Returns: The state of the attempt; `nil` if nothing is recorded of it.
    @discardableResult
    public func resume(_ attempt: UUID) async -> PaymentRecord.State? {
        guard phase == .ready, let contact else { return nil }
        // One that cannot be read now is found when the user pays, because it keeps its key.
        guard let written = try? await service.desk.ledger.record(attempt), written.contact.id == contact.id,
            service.desk.isOwn(written)
        else { return nil }
        let record = await service.desk.present(written)
        guard phase == .ready, record.state != .failed, record.state != .abandoned else { return record.state }
        amount = record.amount
        await show(record)
        return record.state
    }

    /// The attempts among these that may have been made, the latest first: an order of another amount or card is another payment.
    ///
    /// - Throws: ``PaymentError/ledger(_:)``. Nothing must be sent then.
    func attempts(_ doubts: Set<UUID>, besides order: PaymentOrder) async throws(PaymentError) -> [PaymentRecord] {
        var made: [PaymentRecord] = []
        for id in doubts where id != order.key {
            let found: PaymentRecord?
            do throws(StoreError) { found = try await service.desk.ledger.record(id) } catch { throw .ledger(error) }
            guard let found, found.contact.id == order.contact.id, service.desk.isOwn(found) else { continue }
            let record = await service.desk.present(found)
            if record.mayBeMade { made.append(record) }
        }
        return made.sorted { $0.startedAt > $1.startedAt }
    }

    /// The payment of an order's key, if it is recorded and is that order.
    func recorded(_ order: PaymentOrder) async -> PaymentRecord? {
        // One that cannot be read now is told as one that is on its way.
        guard let record = try? await service.desk.ledger.record(order.key), record.isOf(order) else { return nil }
        return await service.desk.present(record)
    }
}
