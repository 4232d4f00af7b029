import App
import Aquifer
import AquiferShadowDrive
import AquiferWording

extension DriveSession {
    /// Reports a change.
    ///
    /// - Parameter outcome: what has happened, if the answer is nothing but a signature.
    func report(_ done: HandedOver, _ outcome: String) {
        switch done {
        case .created(let account): report(account)
        case .changed(let answer): report(answer)
        case .sent(let signature):
            report(ChangeAnswerDocument(signature: "\(signature)"), lines: ["\(signature)"])
            if !options.quiet { console.note(outcome) }
        }
    }

    /// Reports a new account.
    func report(_ created: CreatedAccount) {
        let (address, signature) = ("\(created.account.address)", "\(created.transactionSignature)")
        let document = CreatedAccountDocument(shdwBucket: address, transactionSignature: signature)
        report(document, saveError: created.saveError, lines: [address])
        if let error = created.saveError, !options.quiet {
            console.note("\(error.saveMessage(in: .english)) (\(error))")
        }
    }

    /// Reports the server's answer to a change.
    func report(_ answer: ChangeAnswer) {
        let signature = answer.transactionSignature.map { "\($0)" }
        report(
            ChangeAnswerDocument(message: answer.message, signature: signature),
            lines: [answer.message] + [signature].compactMap(\.self))
    }

    /// Reports the server's answer: as a document, or as lines for people.
    func report(_ document: some Encodable, saveError: StoreError? = nil, lines: [String]) {
        if options.json {
            console.out(json: ResultDocument(remote: document, saveError: saveError))
        } else {
            console.out(lines: lines)
        }
    }
}
