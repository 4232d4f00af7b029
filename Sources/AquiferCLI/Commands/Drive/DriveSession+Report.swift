import App
import Aquifer
import ShadowDrive

extension DriveSession {
    /// Reports a change.
    func report(_ done: HandedOver) {
        switch done {
        case .created(let account): report(account)
        case .changed(let answer): report(answer)
        case .sent(let signature): report(["transaction_signature": "\(signature)"])
        }
    }

    /// Reports a new account.
    func report(_ created: CreatedAccount) {
        if options.json {
            console.out(
                JSONText.object([
                    ("shdw_bucket", .string("\(created.account.address)")),
                    ("transaction_signature", .string("\(created.transactionSignature)")),
                ]).text)
        } else {
            console.out("\(created.account.address)")
        }
        if let error = created.saveError, !options.quiet {
            console.note("made, and not saved for offline use: \(error)")
        }
    }

    /// Reports the server's answer to a change.
    func report(_ answer: ChangeAnswer) {
        var fields = ["message": answer.message]
        if let signature = answer.transactionSignature { fields["transaction_signature"] = "\(signature)" }
        report(fields)
    }

    /// Reports fields of an answer.
    func report(_ fields: [String: String]) {
        let sorted = fields.sorted { $0.key < $1.key }
        if options.json {
            console.out(JSONText.object(sorted.map { ($0.key, .string($0.value)) }).text)
        } else {
            for (_, value) in sorted { console.out(value) }
        }
    }
}
