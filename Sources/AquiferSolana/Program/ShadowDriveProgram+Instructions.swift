import AquiferFoundation

extension ShadowDriveProgram {
    /// The Solana instruction for a storage instruction, with the accounts that the program requires, in the program's
    /// order.
    ///
    /// - Parameters:
    ///   - instruction: what is asked of the program.
    ///   - owner: the wallet that owns the storage account and pays.
    ///   - account: the storage account: ``storageAccount(of:counter:)``.
    public func instruction(
        _ instruction: StorageInstruction, owner: PublicKey, account: PublicKey
    ) -> Instruction {
        Instruction(
            program: id, accounts: accounts(instruction.kind, owner: owner, account: account), data: instruction.data)
    }

    /// The instruction that adds tokens to the stake of a storage account. It is a plain transfer of shades.
    public func topUp(_ shades: UInt64, owner: PublicKey, account: PublicKey) -> Instruction {
        var data = WireWriter()
        data.append(3 as UInt8)
        data.number(shades)
        return Instruction(
            program: SolanaPrograms.token,
            accounts: [
                writable(tokenAccount(of: owner)), writable(stakeAccount(of: account)),
                Instruction.Account(owner, isSigner: true),
            ], data: data.bytes)
    }

    private func accounts(
        _ kind: StorageInstruction.Kind, owner: PublicKey, account: PublicKey
    ) -> [Instruction.Account] {
        let signer = Instruction.Account(owner, isSigner: true, isWritable: true)
        let server = Instruction.Account(uploader, isSigner: true)
        let tokens = writable(tokenAccount(of: owner))
        let fees = writable(tokenAccount(of: emissions))
        let storage = writable(account)
        let stake = writable(stakeAccount(of: account))
        let (system, token) = (read(SolanaPrograms.system), read(SolanaPrograms.token))
        let rent = read(SolanaPrograms.rent)
        switch kind {
        case .create:
            return [
                writable(storageConfig), writable(userInfo(of: owner)), storage, stake, read(mint), signer, server,
                tokens, system, token, rent,
            ]
        case .increase:
            return [read(storageConfig), storage, signer, tokens, stake, server, read(mint), system, token]
        case .increaseImmutable:
            return [read(storageConfig), storage, fees, signer, tokens, server, read(mint), system, token]
        case .decrease:
            return [
                writable(storageConfig), storage, writable(unstakeInfo(of: account)),
                writable(unstakeAccount(of: account)), signer, tokens, stake, writable(mint), server, fees, system,
                token, rent,
            ]
        case .makeImmutable:
            return [
                writable(storageConfig), storage, stake, fees, signer, tokens, server, writable(mint), system, token,
                read(SolanaPrograms.associatedToken), rent,
            ]
        case .requestDeletion, .rename:
            return [read(storageConfig), storage, signer, read(mint), system]
        case .cancelDeletion:
            return [read(storageConfig), storage, stake, signer, read(mint), system]
        case .claimStake:
            return [
                writable(storageConfig), storage, writable(unstakeInfo(of: account)),
                writable(unstakeAccount(of: account)), signer, tokens, read(mint), system, token,
            ]
        case .refreshStake:
            return [read(storageConfig), storage, signer, tokens, stake, read(mint), system, token]
        }
    }

    private func read(_ key: PublicKey) -> Instruction.Account { Instruction.Account(key) }

    private func writable(_ key: PublicKey) -> Instruction.Account { Instruction.Account(key, isWritable: true) }
}
