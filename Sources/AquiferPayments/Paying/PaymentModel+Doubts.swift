import Aquifer
import AquiferFoundation

/// Payments with an unknown outcome: the one that was sent here, and earlier ones like it.
extension PaymentModel {
    /// Sends the payment in addition to the earlier ones of the same amount to the same contact, which the user was
    /// shown.
    ///
    /// - Parameter approved: Those of them that the user has seen as made; `nil` for those that this model shows as made.
    public func payOnceMore(approved: Set<UUID>? = nil) async {
        guard case .earlier(let earlier) = phase, !isChecking, let order else { return }
        let made = approved ?? Set(earlier.filter { $0.state == .approved }.map(\.id))
        madeBefore?.formUnion(made)
        await send(order, besides: Set(earlier.map(\.id)), approved: made)
    }

    /// The earlier payment that the order of this form can send again under its key: the latest whose outcome is unknown, of this card.
    public var earlierToRetry: PaymentRecord? {
        guard case .earlier(let earlier) = phase, let order else { return nil }
        return earlier.first { ($0.state == .unknown || $0.state == .abandoned) && $0.isLike(order) }
    }

    /// Sends the earlier payment again under its key (``earlierToRetry``): it is made once, even if it has arrived before.
    ///
    /// - Parameter approved: Those of the earlier ones that the user has seen as made; `nil` for those that this model shows as made.
    public func retryEarlier(approved: Set<UUID>? = nil) async {
        guard case .earlier(let earlier) = phase, !isChecking, let order, let record = earlierToRetry else { return }
        let same = PaymentOrder(
            key: record.id, contact: record.contact, amount: order.amount, card: order.card, code: order.code,
            madeBefore: order.madeBefore)
        let made = approved ?? Set(earlier.filter { $0.state == .approved }.map(\.id))
        await send(same, besides: Set(earlier.map(\.id)), approved: made)
    }

    /// Asks for the outcomes of the earlier payments of the same amount to the same contact. One that was made or
    /// declined is shown, and nothing is sent.
    public func checkEarlier() async {
        guard case .earlier(let earlier) = phase, !isChecking, let contact else { return }
        isChecking = true
        checkFailed = false
        defer { isChecking = false }
        var left: [PaymentRecord] = []
        for record in earlier {
            do throws(PaymentError) {
                guard let answer = try await service.check(record.id) else { continue }
                if answer.isDecided { return await show(answer) }
                if answer.state == .unknown || answer.state == .abandoned, answer.notFoundAt == nil {
                    checkFailed = true
                }
                left.append(answer)
            } catch {
                checkFailed = true
                left.append(record)
            }
        }
        // If the list cannot be read now, the screen keeps those that it has.
        let others = (try? await service.desk.unresolved(amount, to: contact)) ?? []
        left += others.filter { other in !left.contains { $0.id == other.id } }
        showEarlier(left)
    }

    /// Shows those of these payments that may be the same one.
    private func showEarlier(_ records: [PaymentRecord]) {
        let open = records.filter { $0.mayBeMade || $0.state == .abandoned }
        if open.isEmpty { leave() } else { phase = .earlier(open) }
    }

    /// Asks for the outcome of an unknown payment.
    public func check() async {
        guard case .unknown(let record) = phase, !isChecking else { return }
        isChecking = true
        checkFailed = false
        do throws(PaymentError) {
            let answer = try await service.check(record.id)
            checkFailed = answer?.state == .unknown && answer?.notFoundAt == nil
            if let answer { await show(answer) }
        } catch {
            checkFailed = true
        }
        isChecking = false
    }

    /// Shows the outcome of the unknown payment, or of the earlier ones, as soon as it is recorded, whoever has found it.
    func followOutcome() {
        guard following == nil else { return }
        following = service.desk.ledger.store.changes.follow(where: PaymentLedger.mayConcern) { [weak self] in
            await self?.showRecorded()
        }
    }

    private func showRecorded() async {
        if case .earlier(let records) = phase { return await followEarlier(records) }
        guard case .unknown(let record) = phase, !isChecking else { return }
        // A record that cannot be read now stays as it is shown.
        guard let latest = try? await service.desk.ledger.record(record.id),
            case .unknown(let shown) = phase, shown == record, !isChecking
        else { return }
        if latest.isDecided || latest.state == .failed { return await show(latest) }
        // The user has given it up on another screen.
        if latest.state == .abandoned { return leaveEmpty() }
        let isNews = record.state == .sending || latest.notFoundAt != record.notFoundAt
        if latest.state == .unknown, isNews { phase = .unknown(latest) }
    }

    /// Shows how earlier payments have ended: the user decides by what is true now. One that was not made is shown no more.
    private func followEarlier(_ shown: [PaymentRecord]) async {
        var latest: [PaymentRecord] = []
        for record in shown {
            // A record that cannot be read now stays as it is shown.
            let written = (try? await service.desk.ledger.record(record.id)) ?? record
            latest.append(await service.desk.present(written))
        }
        guard case .earlier(let now) = phase, now == shown, latest != shown, !isChecking else { return }
        showEarlier(latest)
    }

    /// Sends an unknown payment again, with the same key.
    public func retry() async {
        guard case .unknown(let record) = phase, let order else { return }
        phase = .sending
        checkFailed = false
        problem = nil
        do throws(PaymentError) {
            try await expectCard(of: order)
            await show(try await service.send(order))
        } catch .unresolved(let others) {
            ask(order, others)
        } catch {
            // The payment is still unknown.
            phase = .unknown(record)
            problem = .payment(error)
        }
    }

    /// Gives up on an unknown payment, and goes back to an empty form. The history continues to show the payment.
    public func giveUp() async {
        guard case .unknown(let record) = phase, !isChecking else { return }
        problem = nil
        do throws(PaymentError) {
            let answer = try await service.desk.giveUp(record.id)
            // It may have been decided meanwhile.
            if let answer, answer.state != .abandoned { return await show(answer) }
            leaveEmpty()
        } catch {
            problem = .payment(error)
        }
    }

    /// Back to an empty form.
    private func leaveEmpty() {
        leave()
        amount = Money(cents: 0)
    }
}
