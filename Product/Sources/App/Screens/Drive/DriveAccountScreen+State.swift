import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation

/// The state of an account's page, and what the page can ask for.
extension DriveAccountScreen {
    struct State: ScreenState {
        /// True if the page's address names no account. All other keys are then empty.
        var isMissing = false
        var address = ""
        var phase = LoadPhase.idle
        var isLoading = false
        @OrNull var notice: String? = nil
        @OrNull var error: ScreenError? = nil
        /// The account's name, once it is known.
        @OrNull var name: String? = nil
        /// The text to type before the account is changed for good.
        @OrNull var confirmation: String? = nil
        @OrNull var usageText: String? = nil
        @OrNull var freeText: String? = nil
        @OrNull var percent: Int? = nil
        var isImmutable = false
        var isToBeDeleted = false
        @OrNull var objects: ObjectNames? = nil
        var files: [File] = []
        var isEmpty = false
        var isOwner = false
        @OrNull var action: Action? = nil
        @OrNull var lastDone: Action? = nil
        @OrNull var upload: Upload? = nil
        @OrNull var problem: String? = nil
        /// True if that is because the price is not the one that was confirmed.
        var isPriceChanged = false
        /// The action that failed.
        @OrNull var failed: Action? = nil
        /// The amount of storage that was typed.
        var amount = ""
        /// The error in it.
        @OrNull var amountProblem: String? = nil
        /// The reason why so much cannot be added.
        @OrNull var addProblem: String? = nil
        /// The price of it, if so much can be added.
        @OrNull var spend: Spend? = nil
        @OrNull var balanceText: String? = nil
        /// The balance with all its digits.
        @OrNull var balanceExact: String? = nil
        /// What locking the account spends.
        @OrNull var stakeText: String? = nil
        /// The message about tokens that can be claimed.
        @OrNull var unstakedText: String? = nil
    }

    struct File: Codable, Sendable {
        let name: String
        let sizeText: String
        let size: UInt64
        /// The address from which the page loads it.
        let link: String
        /// The address from which the page loads it to show it; `nil` if it is too large to be saved for that.
        @OrNull var preview: String?
        /// The address of the file as a small picture; `nil` if its name is that of no picture. It may answer with nothing.
        @OrNull var thumbnail: String?
    }

    struct Action: Codable, Sendable {
        enum Kind: String, Codable, Sendable, CaseIterable {
            case uploading, replacing, deleting, addingStorage, reducingStorage, makingImmutable, askingForDeletion
            case keepingAccount, claiming
        }
        let kind: Kind
        @OrNull var file: String?
    }

    struct Upload: Codable, Sendable {
        let percent: Int
        let sentText: String
        /// The number of bytes that were sent, of all files.
        let sent: UInt64
        let total: UInt64
        let done: Int
        let files: Int
        let isDone: Bool
        let stored: Int
        let results: [Outcome]
    }

    /// The outcome of a file's upload.
    struct Outcome: Codable, Sendable {
        let name: String
        let isStored: Bool
        @OrNull var message: String?
    }

    enum Intent: String, ScreenIntent {
        case appear, objects, dismissObjects, upload, replace, abandon, cancelUpload, dismissUpload, delete, amount
        case addStorage, reduceStorage, makeImmutable, deleteAccount, keepAccount, claim, dismissError

        var fields: [String] {
            switch self {
            case .upload: ["batch", "replacing?", "count?"]
            case .replace: ["batch", "file", "count?"]
            case .abandon: ["batch"]
            case .delete: ["file"]
            case .amount: ["text"]
            case .addStorage: ["size", "cost"]
            case .reduceStorage: ["size"]
            case .makeImmutable, .deleteAccount: ["typed"]
            default: []
            }
        }
    }

    func state(_ context: ScreenContext) -> State {
        guard let model else { return State(isMissing: true) }
        let language = context.language
        let progress = context.progress(of: model.contents)
        let account = model.countedAccount
        let isTooMuch = model.room(toAdd: draft.amount) != nil
        return State(
            address: "\(model.address)", phase: progress.phase, isLoading: progress.isLoading,
            notice: progress.notice, error: progress.error, name: account?.identifier,
            confirmation: account?.confirmation,
            usageText: account.map { language.usage(of: $0.currentUsage, in: $0.reservedBytes) },
            freeText: account.map { language.size($0.freeBytes) }, percent: account?.percent,
            isImmutable: account?.isImmutable ?? false, isToBeDeleted: account?.isToBeDeleted ?? false,
            objects: names.map { ObjectNames($0, beside: model.files.map(\.name), language) },
            files: model.files.map { file($0, in: model.address, context) },
            isEmpty: model.contents.value?.files.isEmpty == true, isOwner: model.isOwner,
            action: model.action.map(Action.init),
            lastDone: model.lastDone.map(Action.init), upload: upload(model, language),
            problem: model.problem?.message(in: language), isPriceChanged: model.problem?.isPriceChanged == true,
            failed: model.failed.map(Action.init),
            amount: draft.amount, amountProblem: amountProblem(model, language),
            addProblem: isTooMuch ? account.map { tooMuch(for: $0, language) } : nil,
            spend: isTooMuch ? nil : model.cost(of: draft.amount).map { Spend($0, of: model.wallet, language) },
            balanceText: model.wallet.map { language.shortBalance($0) },
            balanceExact: model.wallet.map { language.balance($0) },
            stakeText: model.stake.map { language.price($0) },
            unstakedText: model.unstaked.map { unstaked($0, context) })
    }

    /// The most bytes of a picture that the list loads by itself.
    private static let thumbnailLimit: UInt64 = 1 << 20
    /// The endings of the pictures that browsers show.
    private static let pictures: Set = ["png", "jpg", "jpeg", "gif", "webp", "avif"]

    private func file(_ file: StoredFile, in account: PublicKey, _ context: ScreenContext) -> File {
        // A name that leads out of the account has no link: nothing asks for it.
        guard FileLocation.allows(file.name) else {
            return File(
                name: file.name, sizeText: context.language.size(file.size), size: file.size, link: "", preview: nil,
                thumbnail: nil)
        }
        let link = DriveAPI.link(to: file.name, in: account)
        let preview = "\(link)&preview=true&lang=\(context.language.tag)"
        let isShown = file.size <= UInt64(Services.previewLimit)
        // A larger one is loaded when its user opens it, and not before.
        let small = file.size <= Self.thumbnailLimit ? preview : "\(preview)&saved=true"
        let isPicture = Self.pictures.contains(String(file.name.lowercased().split(separator: ".").last ?? ""))
        return File(
            name: file.name, sizeText: context.language.size(file.size), size: file.size, link: context.sign(link),
            preview: isShown ? context.sign(preview) : nil,
            thumbnail: isPicture && isShown ? context.sign(small) : nil)
    }

    private func tooMuch(for account: StorageAccount, _ language: Language) -> String {
        language.text("drive.limit.largest", ["reserved": language.size(account.reservedBytes)])
    }

    private func amountProblem(_ model: AccountModel, _ language: Language) -> String? {
        draft.amount.isEmpty
            ? language.text("drive.create.size.missing") : model.problem(in: draft.amount)?.message(in: language)
    }

    private func unstaked(_ info: UnstakeInfo, _ context: ScreenContext) -> String {
        let since = context.language.relative(Date(timeIntervalSince1970: Double(info.time)), now: context.now)
        return context.language.text("drive.unstaked", ["since": since])
    }

    private func upload(_ model: AccountModel, _ language: Language) -> Upload? {
        guard let upload = model.upload else { return nil }
        let progress = upload.progress
        let results = upload.results.map { result -> Outcome in
            var words = result.error.map { error in
                if case .file(let file) = error {
                    file.messageBesideName(in: language)
                } else {
                    error.message(in: language)
                }
            }
            if words?.isEmpty == true { words = language.text("compose.cancelled") }
            return Outcome(name: result.name, isStored: result.error == nil, message: words)
        }
        let sent =
            language.text(
                "drive.upload.sent",
                ["sent": language.size(progress.sent), "total": language.size(progress.total)])
        return Upload(
            percent: Int(progress.fraction * 100), sentText: sent, sent: progress.sent, total: progress.total,
            done: progress.filesDone, files: progress.files,
            isDone: upload.isDone, stored: upload.results.count { $0.error == nil }, results: results)
    }
}

extension DriveAccountScreen.Action {
    init(_ action: AccountModel.Action) {
        switch action {
        case .uploading: self.init(kind: .uploading, file: nil)
        case .replacing(let file): self.init(kind: .replacing, file: file)
        case .deleting(let file): self.init(kind: .deleting, file: file)
        case .addingStorage: self.init(kind: .addingStorage, file: nil)
        case .reducingStorage: self.init(kind: .reducingStorage, file: nil)
        case .makingImmutable: self.init(kind: .makingImmutable, file: nil)
        case .askingForDeletion: self.init(kind: .askingForDeletion, file: nil)
        case .keepingAccount: self.init(kind: .keepingAccount, file: nil)
        case .claiming: self.init(kind: .claiming, file: nil)
        }
    }
}
