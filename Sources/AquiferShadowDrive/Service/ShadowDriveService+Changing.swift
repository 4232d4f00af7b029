import Aquifer
import AquiferFoundation

extension ShadowDriveService {
    /// Reserves more bytes. The service first asks if the account is immutable, because an immutable account needs
    /// another instruction.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to add.
    ///   - account: the account.
    ///   - onWait: called if the server does not know the blockhash, before the wait for the chain of about a minute.
    public func addStorage(
        _ bytes: UInt64, to account: PublicKey, onWait: @Sendable () async -> Void = {}
    ) async throws(DriveError) -> ChangeAnswer {
        _ = try signer()
        guard bytes > 0 else { throw .limit(.size(.zero)) }
        let info = try await api.storageAccountInfo(account)
        let (sum, isTooMuch) = info.reservedBytes.addingReportingOverflow(bytes)
        guard !isTooMuch, sum <= StorageSize.accountRange.upperBound else { throw .limit(.size(.outOfRange)) }
        let instruction: StorageInstruction =
            info.isImmutable ? .increaseImmutable(bytes: bytes) : .increase(bytes: bytes)
        let answer = try await freshly(
            instruction, account, carriedOut: ChangeAnswer.init(carriedOut:), onWait: onWait,
            send: { (transaction) async throws(DriveError) in try await self.api.addStorage(transaction) })
        await follow(instruction, account, reserved: sum)
        return answer
    }

    /// Releases reserved bytes. The service first asks for the used bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to release.
    ///   - account: the account.
    ///   - onWait: as for ``addStorage(_:to:onWait:)``.
    public func reduceStorage(
        _ bytes: UInt64, of account: PublicKey, onWait: @Sendable () async -> Void = {}
    ) async throws(DriveError) -> ChangeAnswer {
        _ = try signer()
        guard bytes > 0 else { throw .limit(.size(.zero)) }
        let info = try await api.storageAccountInfo(account)
        guard !info.isImmutable else { throw .limit(.immutable) }
        let used = try await api.storageUsed(account)
        let free = info.reservedBytes - min(info.reservedBytes, used)
        guard bytes <= free else { throw .limit(.tooMuch(free: free)) }
        let left = info.reservedBytes - bytes
        guard StorageSize.accountRange.contains(left) else { throw .limit(.size(.outOfRange)) }
        let instruction = StorageInstruction.decrease(bytes: bytes, used: used)
        let answer = try await freshly(
            instruction, account, carriedOut: ChangeAnswer.init(carriedOut:), onWait: onWait,
            send: { (transaction) async throws(DriveError) in try await self.api.reduceStorage(transaction) })
        await follow(instruction, account, reserved: left)
        return answer
    }

    /// Makes an account immutable, permanently. Its files can then not be replaced or deleted, and its storage cannot
    /// be reduced.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - name: the account's name, as the user saw it; `nil` if none was shown. Nothing is signed if the chain has the
    ///     account under another name, which a server that swaps accounts does not show.
    ///   - onWait: as for ``addStorage(_:to:onWait:)``.
    public func makeImmutable(
        _ account: PublicKey, named name: String? = nil, onWait: @Sendable () async -> Void = {}
    ) async throws(DriveError) -> ChangeAnswer {
        _ = try signer()
        try await check(account, isCalled: name)
        let used = try await api.storageUsed(account)
        let instruction = StorageInstruction.makeImmutable(used: used)
        let answer = try await freshly(
            instruction, account, carriedOut: ChangeAnswer.init(carriedOut:), onWait: onWait,
            send: { (transaction) async throws(DriveError) in try await self.api.makeImmutable(transaction) })
        await follow(instruction, account)
        return answer
    }

    /// Sends an instruction directly to Solana: request or cancel deletion, claim or refresh the stake, rename. It
    /// returns when the chain has carried the instruction out.
    ///
    /// - Parameters:
    ///   - instruction: the instruction.
    ///   - account: the account.
    ///   - name: as for ``makeImmutable(_:named:onWait:)``.
    ///   - onWait: called before a wait for the chain.
    /// - Returns: the signature that identifies the transaction on Solana.
    public func send(
        _ instruction: StorageInstruction, for account: PublicKey, named name: String? = nil,
        onWait: @Sendable () async -> Void = {}
    ) async throws(DriveError) -> Signature {
        guard !instruction.kind.needsUploader else {
            throw .transaction(.unexpected("\(instruction.kind.rawValue) goes through the API, where the server signs"))
        }
        _ = try signer()
        try await check(account, isCalled: name)
        let signature = try await freshly(
            instruction, account, isAcceptance: true, carriedOut: { $0 }, onWait: onWait,
            send: { (transaction) async throws(DriveError) in try await self.rpc.send(transaction) })
        await follow(instruction, account)
        return signature
    }

    /// Checks that the chain has an account under the name that the user saw. The name came from the server. An account
    /// that the node does not know is not checked: the node may be behind the account's creation.
    ///
    /// - Parameter name: the name; `nil` checks nothing.
    /// - Throws: ``DriveError/invalidData(_:)`` if the chain has another name for it.
    func check(_ address: PublicKey, isCalled name: String?) async throws(DriveError) {
        guard let name, let found = try await rpc.account(address) else { return }
        guard found.owner == program.id else {
            throw .invalidData(.body("the account \(address) belongs to another program"))
        }
        let isFirstVersion = found.data.prefix(8) == StorageAccountV1.discriminator
        let known: String
        do throws(AccountDataError) {
            known =
                try isFirstVersion
                ? StorageAccountV1(data: found.data).identifier : StorageAccountV2(data: found.data).identifier
        } catch { throw .invalidData(.body("\(address): \(error)")) }
        guard known == name else {
            throw .invalidData(.body("on the chain, \(address) has another name than the one that was shown"))
        }
    }

    /// Deletes a file.
    ///
    /// - Parameter location: the file's address. The signed address and the sent address are the same.
    public func deleteFile(_ location: FileLocation) async throws(DriveError) -> ChangeAnswer {
        let keypair = try signer()
        let message = SignedMessage.delete(location.text, from: location.account)
        let answer = try await api.deleteFile(
            at: location.text, signer: keypair.publicKey, signature: message.signature(by: keypair))
        await amendContents(location.account) { $0.removing(location.name) }
        return answer
    }

    /// Replaces the content of a file.
    ///
    /// - Parameters:
    ///   - location: the file's address.
    ///   - url: the new content, on this machine.
    ///   - onSent: called with the sent bytes of the request and the request's length in bytes.
    /// - Returns: the file's address.
    public func editFile(
        _ location: FileLocation, with url: URL, onSent: (@Sendable (_ sent: UInt64, _ of: UInt64) -> Void)? = nil
    ) async throws(DriveError) -> String {
        let keypair = try signer()
        let file: FileToSend
        do throws(FileError) { file = try FileToSend(url, name: location.name) } catch { throw .file(error) }
        let hash = try await FileHash.sha256(of: file)
        let message = SignedMessage.edit(file.name, in: location.account, hash: hash)
        let place: String
        do throws(DriveError) {
            place = try await api.edit(
                file, at: location, signer: keypair.publicKey, signature: message.signature(by: keypair), onSent: onSent
            )
        } catch {
            // The signature is invalid if the file changed after it was hashed.
            guard case .refused(let refusal) = error, refusal.reason == .badSignature,
                try await FileHash.sha256(of: file) != hash
            else { throw error }
            throw .file(.changed(name: file.name))
        }
        await amendContents(location.account) { $0.storing(StoredFile(name: file.name, size: file.size)) }
        return place
    }

    // MARK: Updating the saved data

    /// Changes an account in the saved list and in its saved contents. If saving fails, the next load corrects the
    /// data.
    func amend(_ account: PublicKey, _ change: @escaping @Sendable (inout StorageAccount) -> Void) async {
        try? await shelf?.amend(account, change)  // see above
        await amendContents(account) { contents in
            var contents = contents
            change(&contents.account)
            return contents
        }
    }

    /// Changes the saved contents of an account, and the account in the saved list with them. If saving fails, the next load corrects
    /// the data.
    func amendContents(
        _ account: PublicKey, _ change: @escaping @Sendable (AccountContents) -> AccountContents
    ) async {
        try? await savedContents(of: account).amend(change)  // see above
        guard let saved = try? await savedContents(of: account).load() else { return }  // see above
        try? await shelf?.amend(account) { $0 = saved.value.account }  // see above
    }
}
