import Aquifer
import AquiferFoundation

/// Payments with an unknown outcome: the one that was sent here, and earlier ones like it.
extension PaymentModel {
    /// Sends the payment in addition to the earlier ones of the same amount to the same contact, which the user was
    /// shown.
    public func payOnceMore() async {
        guard case .earlier(let earlier) = phase, !isChecking, let order else { return }
        await send(order, besides: Set(earlier.map(\.id)))
    }

    /// Asks for the outcomes of the earlier payments of the same amount to the same contact. One that was made or
    /// declined is shown, and nothing is sent.
    public func checkEarlier() async {
        guard case .earlier(let earlier) = phase, !isChecking, let contact else { return }
        isChecking = true
        checkFailed = false
        defer { isChecking = false }
        for record in earlier {
            do throws(PaymentError) {
                guard let answer = try await service.check(record.id) else { continue }
                if answer.isDecided { return await show(answer) }
                if answer.state == .unknown && answer.notFoundAt == nil { checkFailed = true }
            } catch {
                checkFailed = true
            }
        }
        // If the list cannot be read now, the screen keeps the old one.
        let left = (try? await service.desk.unresolved(amount, to: contact)) ?? earlier
        if left.isEmpty { leave() } else { phase = .earlier(left) }
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

    /// Shows the outcome of the unknown payment as soon as it is recorded, whoever has found it.
    func followOutcome() {
        guard following == nil else { return }
        following = service.desk.ledger.store.changes.follow(where: PaymentLedger.mayConcern) { [weak self] in
            await self?.showRecorded()
        }
    }

    private func showRecorded() async {
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

    /// Sends an unknown payment again, with the same key.
    public func retry() async {
        guard case .unknown(let record) = phase, let order else { return }
        phase = .sending
        checkFailed = false
        problem = nil
        do throws(PaymentError) {
            await show(try await service.send(order))
        } catch .unresolved(let others) {
            phase = .earlier(others)
            forgetCode()
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
