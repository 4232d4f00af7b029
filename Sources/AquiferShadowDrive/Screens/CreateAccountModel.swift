import Aquifer
import AquiferFoundation
import Observation

/// The screen that creates a storage account, with its name, size, cost and outcome.
///
/// Nothing is sent before both fields are valid. Nothing is sent twice: while an account is being created,
/// ``create(_:at:)`` does nothing.
@MainActor @Observable
public final class CreateAccountModel {
    /// The state of the screen.
    public enum Phase: Sendable, Hashable {
        /// The fields.
        case editing
        /// The account is being created.
        case creating(CreationStep)
        /// The account was created.
        case created(CreatedAccount)
        /// The creation failed, or its outcome is unknown: see ``DriveError/outcomeUnknown(because:)``.
        case failed(DriveError)
    }

    /// The current state of the screen.
    public private(set) var phase: Phase = .editing
    /// The name as typed.
    public private(set) var name = ""
    /// The size as typed.
    public private(set) var sizeText = ""
    /// The error in the name, set from the first change on.
    public private(set) var nameError: LimitError?
    /// The error in the size, set from the first change on.
    public private(set) var sizeError: StorageSizeError?
    /// The size in bytes; `nil` if the typed text is not valid.
    public private(set) var size: UInt64?
    /// The prices; `nil` until they are known.
    public private(set) var config: StorageConfig?
    /// True if the prices are being requested. Meanwhile a transaction whose cost is unknown is not handed over,
    /// because the cost is shown first.
    public private(set) var isAskingForPrices = false
    /// The owner's balances; `nil` until they are known.
    public private(set) var wallet: Wallet?
    /// A transaction that the owner has signed elsewhere, as typed: base64.
    public private(set) var handedText = ""
    /// The parsed transaction; `nil` if the typed text is not a valid transaction.
    public private(set) var handed: StorageTransaction?
    /// The error in the typed transaction, set from the first change on.
    public private(set) var handedError: DriveError?
    /// The account that the transaction would make immutable or delete; `nil` until it is known.
    public private(set) var handedAccount: StorageAccount?
    /// The balances of the transaction's owner; `nil` until they are known.
    public private(set) var handedWallet: Wallet?
    /// The outcome of a transaction that was handed over, other than a new account.
    public private(set) var handedOver: HandedOver?

    /// The cost of the size in shades; `nil` if the size or the prices are not known.
    public var cost: UInt64? {
        guard let size, let config else { return nil }
        return config.cost(ofBytes: size)
    }
    /// The cost of the transaction that was signed elsewhere.
    public var handedCost: HandedCost {
        switch handed?.instruction {
        case .create(_, let bytes), .increase(let bytes), .increaseImmutable(let bytes):
            config.map { .shades($0.cost(ofBytes: bytes)) } ?? .unknown
        case .makeImmutable:
            // The cost is the stake for the account's storage.
            if let config, let handedAccount {
                .shades(config.cost(ofBytes: handedAccount.reservedBytes))
            } else {
                .unknown
            }
        default: .nothing
        }
    }
    /// The text that the user must type before the transaction is sent, as on the account's own page. It is `nil` if
    /// the transaction can be undone.
    public var handedConfirmation: String? {
        switch handed?.instruction {
        case .makeImmutable, .requestDeletion: handedAccount?.confirmation ?? handed.map { "\($0.account)" }
        default: nil
        }
    }
    /// True if there is no key to sign with.
    public var needsKey: Bool { service.owner == nil }
    /// True if there is a key, both fields are valid, and no account is being created or was just created.
    public var canCreate: Bool {
        if case .creating = phase { return false }
        if case .created = phase { return false }
        return !needsKey && !name.isEmpty && nameError == nil && size != nil
    }

    /// True if the transaction is valid, its cost is not still being requested, and nothing is under way.
    public var canHandOver: Bool {
        if case .creating = phase { return false }
        return handed != nil && !(isAskingForPrices && handedCost == .unknown)
    }

    /// The cost of a transaction.
    public enum HandedCost: Sendable, Hashable {
        /// The transaction costs nothing.
        case nothing
        /// The cost in shades.
        case shades(UInt64)
        /// The prices are not known.
        case unknown
    }

    @ObservationIgnored private let service: ShadowDriveService

    /// Creates the screen of a service.
    public init(_ service: ShadowDriveService) {
        self.service = service
    }

    /// Requests the prices and the owner's balances when the screen becomes visible. The form works without them.
    public func appear() async {
        isAskingForPrices = true
        config = (try? await service.storageConfig()) ?? config  // those known before stay, as the wallet
        isAskingForPrices = false
        wallet = (try? await service.wallet()) ?? wallet  // the one known before stays
    }

    /// Sets the name as typed.
    public func enter(name: String) {
        guard isOpen else { return }
        self.name = name
        do throws(LimitError) {
            try LimitError.check(name: name)
            nameError = nil
        } catch { nameError = error }
    }

    /// Sets the size as typed: `10MB`.
    public func enter(size text: String) {
        guard isOpen else { return }
        sizeText = text
        do throws(StorageSizeError) {
            size = try StorageSize.parseAccount(StorageSize.typed(text))
            sizeError = nil
        } catch {
            size = nil
            sizeError = error
        }
    }

    /// Creates the account if both fields are valid, and returns when the creation has ended.
    ///
    /// - Parameters:
    ///   - confirmed: the size that the user confirmed, as typed. Another tab may have typed another one since.
    ///   - price: the price that the user confirmed for it. If it costs something else now, nothing is sent, and the
    ///     creation fails with ``DriveError/priceChanged(cost:)``.
    public func create(_ confirmed: String, at price: ShownPrice) async {
        guard canCreate, let size else { return }
        guard confirmed == sizeText else {
            phase = .failed(.priceChanged(cost: cost))
            return
        }
        phase = .creating(.counting)
        let name = name
        do throws(DriveError) {
            config = try await service.storageConfig(before: price)
            try price.check(cost)
            let created = try await service.createStorageAccount(name: name, size: size) { step in
                await self.show(step)
            }
            phase = .created(created)
        } catch {
            phase = error == .cancelled ? .editing : .failed(error)
        }
    }

    /// Sets a transaction that the owner has signed elsewhere, as typed in base64. The transaction is parsed at once.
    public func enter(transaction text: String) {
        guard isOpen else { return }
        handedText = text
        (handed, handedError, handedOver, handedAccount, handedWallet) = (nil, nil, nil, nil, nil)
        let base64 = text.filter { !$0.isWhitespace }
        guard !base64.isEmpty else { return }
        do throws(DriveError) { handed = try service.parse(Self.transaction(base64)) } catch {
            handedError = error
        }
    }

    /// Requests the account and the owner's balances for the typed transaction. A value that cannot be loaded is shown
    /// as "not known".
    public func lookAtHanded() async {
        guard let asked = handed else { return }
        // Shown as "not known".
        let account = handedConfirmation == nil ? nil : try? await service.api.storageAccountInfo(asked.account)
        let wallet = try? await service.wallet(of: asked.owner)  // as above
        // Another transaction may have been typed meanwhile.
        if handed == asked { (handedAccount, handedWallet) = (account, wallet) }
    }

    /// Sends the typed transaction once, and returns when the sending has ended.
    ///
    /// - Parameter typed: the ``handedConfirmation``, if there is one. Nothing is sent without it.
    public func handOver(confirmedBy typed: String = "") async {
        guard canHandOver, handedConfirmation == nil || handedConfirmation == typed else { return }
        phase = .creating(.sending)
        do throws(DriveError) {
            let transaction = try Self.transaction(handedText.filter { !$0.isWhitespace })
            let outcome = try await service.handOver(transaction, named: handedAccount?.visibleName)
            (handedText, handed) = ("", nil)
            if case .created(let account) = outcome {
                phase = .created(account)
            } else {
                handedOver = outcome
                phase = .editing
            }
        } catch {
            phase = error == .cancelled ? .editing : .failed(error)
        }
    }

    private static func transaction(_ base64: String) throws(DriveError) -> SolanaTransaction {
        do throws(TransactionError) { return try SolanaTransaction(base64: base64) } catch { throw .transaction(error) }
    }

    /// Returns to the fields. They are empty after an account was created, and unchanged after a failure.
    public func again() {
        if case .creating = phase { return }
        if case .created = phase {
            (name, sizeText, size, nameError, sizeError) = ("", "", nil, nil, nil)
        }
        phase = .editing
    }

    private var isOpen: Bool {
        switch phase {
        case .editing: return true
        case .failed:
            phase = .editing
            return true
        case .creating, .created: return false
        }
    }

    private func show(_ step: CreationStep) {
        if case .creating = phase { phase = .creating(step) }
    }
}
