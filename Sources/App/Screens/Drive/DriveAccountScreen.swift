import Aquifer
import Foundation
import Observation
import ShadowDrive

/// A storage account and its files as the page draws them.
@MainActor
final class DriveAccountScreen: Screen {
    /// What the page has typed or handed over, and nothing was made of yet.
    @MainActor @Observable
    final class Draft {
        /// An amount of storage, whose price is shown while it is typed.
        var amount = ""
        @ObservationIgnored var batch = ""
        @ObservationIgnored var files: [URL] = []
    }

    /// The most files that are handed over at once.
    static let mostFiles = 200

    /// `nil` if the address is none.
    private let model: AccountModel?
    private let names: ObjectNamesModel?
    private let access: DriveAccess
    private let uploads: Uploads
    private let draft = Draft()
    private var hasAppeared = false

    init(_ access: DriveAccess, account: String, uploads: Uploads) {
        self.access = access
        self.uploads = uploads
        // What is no address is no account: the page says so.
        let address = try? PublicKey(account)
        model = address.map { AccountModel(access.service, account: $0) }
        names = address.map { ObjectNamesModel(access.service, account: $0) }
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        guard let model else { return .object([("isMissing", .bool(true))]) }
        let files = model.files.map { file in
            JSONText.object([
                ("name", .string(file.name)), ("sizeText", .string(language.storage(file.size))),
                ("location", .string(model.location(of: file.name).text)),
                ("link", .string(context.sign(DriveAPI.link(to: file.name, in: model.address)))),
            ])
        }
        return .object(
            [("isMissing", .bool(false)), ("address", .string("\(model.address)"))]
                + context.fields(of: model.contents) + access.fields(language)
                + [
                    ("name", .string(model.account?.identifier)),
                    ("confirmation", .string(model.account?.confirmation)),
                ]
                + (model.account?.fields(language) ?? []) + [
                    ("objects", names?.json(beside: model.files.map(\.name), language) ?? .null),
                    ("files", .array(files)), ("isEmpty", .bool(model.contents.value?.files.isEmpty == true)),
                    ("isOwner", .bool(model.isOwner)), ("canChange", .bool(model.canChange)),
                    ("canAdd", .bool(model.canAdd)), ("action", json(model.action)),
                    ("lastDone", json(model.lastDone)), ("upload", upload(model, language)),
                    ("problem", .string(model.problem?.message(in: language))),
                    ("failed", json(model.failed)),
                    ("isUnknown", .bool(model.problem?.isOutcomeUnknown ?? false)),
                    ("sizeError", .string(model.sizeError?.message(in: language))),
                    ("costText", .string(model.cost(of: draft.amount).map { language.amount($0) })),
                    ("isPriceKnown", .bool(model.config != nil)),
                    ("balanceText", .string(model.wallet.map { language.shortBalance($0) })),
                    ("balanceExact", .string(model.wallet.map { language.balance($0) })),
                    ("unstakedText", .string(model.unstaked.map { unstaked($0, context) })),
                ])
    }

    func refresh() async { await model?.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        guard let model else {
            let nothing: ScreenAction = {}
            return intent.name == "appear" ? nothing : nil
        }
        let draft = draft
        // The names are as the server had them before this, and those asked for meanwhile are forgotten at its end.
        if ["upload", "replace", "delete"].contains(intent.name) { names?.forget() }
        return switch intent.name {
        case "appear":
            {
                if self.hasAppeared { return await model.refresh() }
                self.hasAppeared = true
                await model.appear()
            }
        case "objects": { await self.names?.load(beside: model.files.map(\.name)) }
        case "dismissObjects": { self.names?.forget() }
        case "upload":
            send(intent["batch"]) { files, remove in
                await model.upload(files, replacing: intent["replacing"] == "true", afterReading: remove)
                self.names?.forget()
            }
        case "replace":
            send(intent["batch"]) { files, remove in
                if let file = files.first { await model.replace(intent["file"], with: file, afterReading: remove) }
                self.names?.forget()
            }
        case "cancelUpload": { model.cancelUpload() }
        case "dismissUpload": { model.dismissUpload() }
        case "delete":
            toItsEnd {
                await model.delete(intent["file"])
                self.names?.forget()
            }
        case "amount": { draft.amount = intent["text"].trimmingCharacters(in: .whitespaces) }
        case "addStorage": toItsEnd { await model.addStorage(intent["size"]) }
        case "reduceStorage": toItsEnd { await model.reduceStorage(intent["size"]) }
        case "makeImmutable": toItsEnd { await model.makeImmutable(confirmedBy: intent["typed"]) }
        case "deleteAccount": toItsEnd { await model.deleteAccount(confirmedBy: intent["typed"]) }
        case "keepAccount": toItsEnd { await model.keepAccount() }
        case "claim": toItsEnd { await model.claim() }
        case "dismissError": { model.dismissProblem() }
        default: nil
        }
    }

    /// Keeps a file that the page hands over, until the batch is sent or another one begins.
    ///
    /// - Returns: `false` if files cannot be taken now; then it is still the caller's.
    func take(_ file: URL, batch: String) -> Bool {
        guard let model, model.canAdd else { return false }
        if draft.batch != batch {
            draft.files.forEach(uploads.remove)
            (draft.batch, draft.files) = (batch, [])
        }
        guard draft.files.count < Self.mostFiles else { return false }
        draft.files.append(file)
        return true
    }

    /// Does something with the files of a batch, which are gone afterwards.
    ///
    /// - Parameter work: gets the files, and what removes them: they go as soon as they were sent, not only when the account
    ///   was loaded again.
    private func send(
        _ batch: String, _ work: @escaping @MainActor @Sendable ([URL], _ remove: () -> Void) async -> Void
    ) -> ScreenAction {
        toItsEnd { [draft, uploads] in
            guard draft.batch == batch else { return }
            let files = draft.files
            (draft.batch, draft.files) = ("", [])
            let remove = { files.forEach(uploads.remove) }
            await work(files, remove)
            // Those that could not be sent at all.
            remove()
        }
    }

    private func json(_ action: AccountModel.Action?) -> JSONText {
        let (kind, file): (String, String?) =
            switch action {
            case nil: ("", nil)
            case .uploading: ("uploading", nil)
            case .replacing(let file): ("replacing", file)
            case .deleting(let file): ("deleting", file)
            case .addingStorage: ("addingStorage", nil)
            case .reducingStorage: ("reducingStorage", nil)
            case .makingImmutable: ("makingImmutable", nil)
            case .askingForDeletion: ("askingForDeletion", nil)
            case .keepingAccount: ("keepingAccount", nil)
            case .claiming: ("claiming", nil)
            }
        return action == nil ? .null : .object([("kind", .string(kind)), ("file", .string(file))])
    }

    private func unstaked(_ info: UnstakeInfo, _ context: ScreenContext) -> String {
        let since = context.language.relative(Date(timeIntervalSince1970: Double(info.time)), now: context.now)
        return context.language.pick(
            "Tokens of storage that was given back (\(since)) can be claimed.",
            "Tokens do espaço devolvido (\(since)) podem ser resgatados.")
    }

    private func upload(_ model: AccountModel, _ language: Language) -> JSONText {
        guard let upload = model.upload else { return .null }
        let progress = upload.progress
        let results = upload.results.map { result -> JSONText in
            var words = result.error?.message(in: language)
            if words?.isEmpty == true { words = language.pick("Cancelled.", "Cancelado.") }
            return .object([
                ("name", .string(result.name)), ("isStored", .bool(result.error == nil)), ("message", .string(words)),
            ])
        }
        let sent =
            language.pick(
                "\(language.storage(progress.sent)) of \(language.storage(progress.total))",
                "\(language.storage(progress.sent)) de \(language.storage(progress.total))")
        return .object([
            ("percent", .int(Int(progress.fraction * 100))), ("sentText", .string(sent)),
            ("done", .int(progress.filesDone)), ("files", .int(progress.files)), ("isDone", .bool(upload.isDone)),
            ("stored", .int(upload.results.count { $0.error == nil })), ("results", .array(results)),
        ])
    }
}
