import Aquifer
import AquiferFoundation

/// The actions on the account itself.
extension AccountModel {
    /// The account with the bytes that the upload under way has sent, so that its usage and the upload's progress agree.
    public var countedAccount: StorageAccount? {
        guard var account, let upload, let before = upload.usedBefore, !upload.isDone || contents.isLoading else {
            return self.account
        }
        // A load during the upload has counted a part of it.
        let used = max(account.currentUsage, before.saturatingAdding(upload.progress.sent))
        account.currentUsage = min(account.reservedBytes, used)
        return account
    }

    /// The cost of an amount of storage in shades; `nil` if the text is not a size, or if the prices are not known.
    public func cost(of text: String) -> UInt64? {
        // An invalid size is reported when the change is sent.
        guard let config, let bytes = try? StorageSize.parse(StorageSize.typed(text)) else { return nil }
        return config.cost(ofBytes: bytes)
    }

    /// The stake in shades that making the account immutable spends; `nil` if the prices are not known.
    public var stake: UInt64? {
        guard let config, let account else { return nil }
        return config.cost(ofBytes: account.reservedBytes)
    }

    /// The error in a text that should be a size; `nil` if it is one.
    public func problem(in text: String) -> StorageSizeError? {
        do throws(StorageSizeError) {
            _ = try StorageSize.parse(StorageSize.typed(text))
            return nil
        } catch { return error }
    }

    /// The number of bytes that can still be added, if the typed amount is more than that; `nil` if the amount fits, or is no size.
    public func room(toAdd text: String) -> UInt64? {
        // An amount that is no size has an error of its own.
        guard let account, let bytes = try? StorageSize.parse(StorageSize.typed(text)) else { return nil }
        let largest = StorageSize.accountRange.upperBound
        let room = largest > account.reservedBytes ? largest - account.reservedBytes : 0
        return bytes > room ? room : nil
    }

    /// Reserves more storage.
    ///
    /// - Parameters:
    ///   - text: the size, such as `10MB`.
    ///   - price: the price that the user confirmed for it. If it costs something else now, nothing is sent, and
    ///     ``problem`` is ``DriveError/priceChanged(cost:)``.
    public func addStorage(_ text: String, at price: ShownPrice) async {
        guard canAdd, let bytes = size(text) else { return }
        await change(.addingStorage) { [address] (service) async throws(DriveError) in
            try await confirm(price, ofBytes: bytes)
            _ = try await service.addStorage(bytes, to: address)
        }
    }

    /// Releases storage. The text is a size such as `10MB`.
    public func reduceStorage(_ text: String) async {
        guard canChange, let bytes = size(text) else { return }
        await change(.reducingStorage) { [address] (service) async throws(DriveError) in
            _ = try await service.reduceStorage(bytes, of: address)
        }
    }

    /// True if the typed text is exactly the account's ``StorageAccount/confirmation``. Making the account immutable
    /// and deleting it both require this text.
    public func confirms(_ typed: String) -> Bool { account.map { $0.confirmation == typed } ?? false }

    /// Makes the account immutable, permanently, if its ``StorageAccount/confirmation`` was typed. The deletion of an
    /// account that is to be deleted must be cancelled first.
    public func makeImmutable(confirmedBy typed: String) async {
        guard canChange, let account, !account.isToBeDeleted, confirms(typed) else { return }
        await change(.makingImmutable) { [address] (service) async throws(DriveError) in
            _ = try await service.makeImmutable(address, named: account.visibleName)
        }
    }

    /// Requests the account's deletion, if its ``StorageAccount/confirmation`` was typed. Solana deletes the account
    /// some epochs later. Until then the request can be cancelled.
    public func deleteAccount(confirmedBy typed: String) async {
        guard canChange, let account, !account.isToBeDeleted, confirms(typed) else { return }
        await send(.requestDeletion, .askingForDeletion, named: account.visibleName)
    }

    /// Cancels the request for the account's deletion.
    public func keepAccount() async {
        guard canAdd, account?.isToBeDeleted == true else { return }
        await send(.cancelDeletion, .keepingAccount)
    }

    /// Claims the tokens of released storage.
    public func claim() async {
        guard canAdd, unstaked != nil else { return }
        await send(.claimStake, .claiming)
    }

    private func send(_ instruction: StorageInstruction, _ action: Action, named name: String? = nil) async {
        await change(action) { [address] (service) async throws(DriveError) in
            _ = try await service.send(instruction, for: address, named: name)
        }
    }
}

extension StorageAccount {
    /// The text that the user must type before an irreversible action on the account. It is the account's name, or the
    /// address if the name cannot be seen and typed. The name comes from the server, so it may contain any characters.
    public var confirmation: String {
        let isTypable =
            identifier.contains { !$0.isWhitespace } && identifier == identifier.harmless
            && identifier.first?.isWhitespace == false && identifier.last?.isWhitespace == false
            && !identifier.unicodeScalars.contains { $0.isHarmful || $0.properties.generalCategory == .unassigned }
        return isTypable ? identifier : "\(address)"
    }

    /// The name by which the user can tell the account from others; `nil` if they know it by its address alone, because its name cannot be seen.
    public var visibleName: String? { confirmation == identifier ? identifier : nil }
}
