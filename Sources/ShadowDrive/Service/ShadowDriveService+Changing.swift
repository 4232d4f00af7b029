import Aquifer
import Foundation

extension ShadowDriveService {
    /// Reserves so many bytes more. Whether the account is immutable, which takes another instruction, is asked first.
    public func addStorage(_ bytes: UInt64, to account: PublicKey) async throws(DriveError) -> ChangeAnswer {
        _ = try signer()
        guard bytes > 0 else { throw .limit(.size(.zero)) }
        let info = try await api.storageAccountInfo(account)
        let (sum, isTooMuch) = info.reservedBytes.addingReportingOverflow(bytes)
        guard !isTooMuch, sum <= StorageSize.accountRange.upperBound else { throw .limit(.size(.outOfRange)) }
        let instruction: StorageInstruction =
            info.isImmutable ? .increaseImmutable(bytes: bytes) : .increase(bytes: bytes)
        let answer = try await freshly(instruction, account) { (transaction) async throws(DriveError) in
            try await self.api.addStorage(transaction)
        }
        await amend(account) { $0.reservedBytes = sum }
        return answer
    }

    /// Gives so many bytes back. What is taken is asked first.
    public func reduceStorage(_ bytes: UInt64, of account: PublicKey) async throws(DriveError) -> ChangeAnswer {
        _ = try signer()
        guard bytes > 0 else { throw .limit(.size(.zero)) }
        let info = try await api.storageAccountInfo(account)
        guard !info.isImmutable else { throw .limit(.immutable) }
        let used = try await api.storageUsed(account)
        let free = info.reservedBytes - min(info.reservedBytes, used)
        guard bytes <= free else { throw .limit(.tooMuch(free: free)) }
        let left = info.reservedBytes - bytes
        guard StorageSize.accountRange.contains(left) else { throw .limit(.size(.outOfRange)) }
        let answer = try await freshly(.decrease(bytes: bytes, used: used), account) {
            (transaction) async throws(DriveError) in
            try await self.api.reduceStorage(transaction)
        }
        await amend(account) { $0.reservedBytes = left }
        return answer
    }

    /// Makes an account immutable, for ever: nothing in it can be changed or deleted any more.
    public func makeImmutable(_ account: PublicKey) async throws(DriveError) -> ChangeAnswer {
        _ = try signer()
        let used = try await api.storageUsed(account)
        let answer = try await freshly(.makeImmutable(used: used), account) {
            (transaction) async throws(DriveError) in
            try await self.api.makeImmutable(transaction)
        }
        await amend(account) { $0.isImmutable = true }
        return answer
    }

    /// Sends what goes straight to Solana: asking for deletion, taking that back, claiming or refreshing the stake,
    /// renaming.
    ///
    /// - Returns: what Solana knows the transaction by.
    public func send(
        _ instruction: StorageInstruction, for account: PublicKey
    ) async throws(DriveError) -> Signature {
        guard !instruction.kind.needsUploader else {
            throw .transaction(.unexpected("\(instruction.kind.rawValue) goes through the API, where the server signs"))
        }
        let signature = try await freshly(instruction, account) { (transaction) async throws(DriveError) in
            try await self.rpc.send(transaction)
        }
        await amend(account) { account in
            switch instruction {
            case .requestDeletion: account.isToBeDeleted = true
            case .cancelDeletion: account.isToBeDeleted = false
            case .rename(let name?): account.identifier = name
            default: break
            }
        }
        return signature
    }

    /// Deletes a file.
    ///
    /// - Parameter location: its address; what is signed is what is sent.
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
    ///   - onSent: told how many bytes of the request have gone out, and how many it has.
    /// - Returns: where the file lies.
    public func editFile(
        _ location: FileLocation, with url: URL, onSent: (@Sendable (_ sent: UInt64, _ of: UInt64) -> Void)? = nil
    ) async throws(DriveError) -> String {
        let keypair = try signer()
        let file: FileToSend
        do throws(FileError) { file = try FileToSend(url, name: location.name) } catch { throw .file(error) }
        let message = SignedMessage.edit(location.name, in: location.account, hash: try await FileHash.sha256(of: file))
        let place = try await api.edit(
            file, at: location, signer: keypair.publicKey, signature: message.signature(by: keypair), onSent: onSent)
        await amendContents(location.account) { $0.storing(StoredFile(name: file.name, size: file.size)) }
        return place
    }

    // MARK: What is saved follows

    /// Changes an account in what is saved. If that cannot be done, the next load makes it good.
    private func amend(_ account: PublicKey, _ change: @escaping @Sendable (inout StorageAccount) -> Void) async {
        try? await shelf?.amend(account, change)  // see above
        await amendContents(account) { contents in
            var contents = contents
            change(&contents.account)
            return contents
        }
    }

    /// Changes the saved contents of an account. If that cannot be done, the next load makes it good.
    func amendContents(
        _ account: PublicKey, _ change: @escaping @Sendable (AccountContents) -> AccountContents
    ) async {
        try? await savedContents(of: account).amend(change)  // see above
    }
}
