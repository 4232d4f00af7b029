import Aquifer
import AquiferShadowDrive
import Foundation
import Observation

/// A storage account and its files as their page draws them.
@MainActor
final class DriveAccountScreen: Screen {
    static let name = "drive-account"
    static let subject: String? = "account"

    /// The page's input that nothing was made of yet.
    @MainActor @Observable
    final class Draft {
        /// An amount of storage, whose price is shown while it is typed.
        var amount = ""
        @ObservationIgnored var batch = ""
        @ObservationIgnored var files: [URL] = []
        /// The batch that its page gave up last. A file of it may still be on its way here.
        @ObservationIgnored var abandoned = ""
    }

    /// The most files that are handed over at once.
    static let mostFiles = 200

    /// `nil` if the subject is no address.
    let model: AccountModel?
    let names: ObjectNamesModel?
    let access: DriveAccess
    let draft = Draft()
    private let uploads: Uploads
    private var hasAppeared = false

    init?(_ address: ScreenAddress, in hub: ScreenHub) {
        guard !address.subject.isEmpty else { return nil }
        access = hub.drive
        uploads = hub.services.uploads
        // A subject that is no address names no account: the page says so.
        let account = try? PublicKey(address.subject)
        let service = access.service
        model = account.map { AccountModel(service, account: $0) }
        names = account.map { ObjectNamesModel(service, account: $0) }
    }

    // Files that a page has handed over and never sent belong to nobody any more.
    isolated deinit { draft.files.forEach(uploads.remove) }

    func refresh() async { await model?.refresh() }

    func connectionRestored() async { if hasAppeared { await model?.refresh() } }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        guard let model else {
            guard intent == .appear else { throw .nothingShown }
            return {}
        }
        let draft = draft
        // The names are as the server had them before this, and those asked for meanwhile are forgotten at its end.
        if [.upload, .replace, .delete].contains(intent) { names?.forget() }
        switch intent {
        case .appear:
            return {
                if self.hasAppeared { return await model.refresh() }
                self.hasAppeared = true
                await model.appear()
            }
        case .objects: return { await self.names?.load(beside: model.files.map(\.name)) }
        case .dismissObjects: return { self.names?.forget() }
        case .upload: return try upload(fields, to: model)
        case .replace:
            let name = try fields.text("file")
            return try send(fields) { files, remove in
                if let file = files.first { await model.replace(name, with: file, afterReading: remove) }
                self.names?.forget()
            }
        case .abandon:
            let batch = try fields.text("batch")
            return { self.abandon(batch) }
        case .cancelUpload: return { model.cancelUpload() }
        case .dismissUpload: return { model.dismissUpload() }
        case .delete:
            let name = try fields.text("file")
            return toItsEnd {
                await model.delete(name)
                self.names?.forget()
            }
        case .amount:
            let text = try fields.text("text")
            return { draft.amount = text.trimmingCharacters(in: .whitespaces) }
        case .addStorage:
            let (size, price) = (try fields.text("size"), try fields.shownPrice())
            return toItsEnd { await model.addStorage(size, at: price) }
        case .reduceStorage:
            let size = try fields.text("size")
            return toItsEnd { await model.reduceStorage(size) }
        case .makeImmutable:
            let typed = try fields.text("typed")
            return toItsEnd { await model.makeImmutable(confirmedBy: typed) }
        case .deleteAccount:
            let typed = try fields.text("typed")
            return toItsEnd { await model.deleteAccount(confirmedBy: typed) }
        case .keepAccount: return toItsEnd { await model.keepAccount() }
        case .claim: return toItsEnd { await model.claim() }
        case .dismissError: return { model.dismissProblem() }
        }
    }

    /// Keeps a file that the page hands over, until the batch is sent or another one begins.
    ///
    /// - Returns: `false` if files cannot be taken now; then it is still the caller's.
    func take(_ file: URL, batch: String) -> Bool {
        guard let model, model.canAdd, batch != draft.abandoned else { return false }
        if draft.batch != batch {
            draft.files.forEach(uploads.remove)
            (draft.batch, draft.files) = (batch, [])
        }
        guard draft.files.count < Self.mostFiles else { return false }
        draft.files.append(file)
        return true
    }

    /// Sends the files of a batch. The intent has the places in the batch of those that the user agreed to replace.
    private func upload(_ fields: IntentFields, to model: AccountModel) throws(IntentError) -> ScreenAction {
        let places = Set((fields["replacing"] ?? "").split(separator: ",").compactMap { Int($0) })
        return try send(fields) { files, remove in
            let agreed = files.indices.filter { places.contains($0) }.map { files[$0].lastPathComponent }
            await model.upload(files, agreed: Set(agreed), afterReading: remove)
            self.names?.forget()
        }
    }

    /// Removes the files of a batch that its page gives up.
    private func abandon(_ batch: String) {
        draft.abandoned = batch
        guard draft.batch == batch else { return }
        draft.files.forEach(uploads.remove)
        (draft.batch, draft.files) = ("", [])
    }

    /// Does something with the files of a batch, and removes them.
    ///
    /// - Parameters:
    ///   - fields: those of the intent: the batch, and the number of its files.
    ///   - work: gets the files, and what removes them: they go as soon as they were sent, not only when the account
    ///   was loaded again.
    /// - Throws: ``IntentError/filesGone`` if this replica has not all of the files.
    private func send(
        _ fields: IntentFields, _ work: @escaping @MainActor @Sendable ([URL], _ remove: () -> Void) async -> Void
    ) throws(IntentError) -> ScreenAction {
        let batch = try fields.text("batch")
        if let count = fields["count"], draft.batch != batch || "\(draft.files.count)" != count { throw .filesGone }
        return toItsEnd { [draft, uploads] in
            guard draft.batch == batch else { return }
            let files = draft.files
            (draft.batch, draft.files) = ("", [])
            let remove = { files.forEach(uploads.remove) }
            await work(files, remove)
            // Those that could not be sent at all.
            remove()
        }
    }
}
