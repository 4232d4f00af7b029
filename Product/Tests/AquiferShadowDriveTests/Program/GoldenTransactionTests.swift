import Foundation
import Testing

@testable import AquiferShadowDrive
@testable import AquiferSolana

@Suite("Transactions, byte for byte")
struct GoldenTransactionTests {
    private let program = Vectors.program
    private let owner = Vectors.owner
    private let account = Vectors.account

    @Test("the constants and addresses are those of the vectors")
    func constants() {
        let constants = Vectors.all.constants
        #expect(constants["program"] == "\(program.id)" && constants["token_mint"] == "\(program.mint)")
        #expect(constants["uploader"] == "\(program.uploader)" && constants["emissions"] == "\(program.emissions)")
        #expect(constants["system_program"] == "\(SolanaPrograms.system)")
        #expect(constants["token_program"] == "\(SolanaPrograms.token)")
        #expect(constants["associated_token_program"] == "\(SolanaPrograms.associatedToken)")
        #expect(constants["rent_sysvar"] == "\(SolanaPrograms.rent)")
        #expect(constants["compute_budget_program"] == "\(SolanaPrograms.computeBudget)")
        let pdas = Vectors.all.pdas.mapValues(\.address)
        let key = owner.publicKey
        #expect(pdas["storage_config"] == "\(program.storageConfig)")
        #expect(pdas["user_info"] == "\(program.userInfo(of: key))")
        #expect(pdas["storage_account"] == "\(program.storageAccount(of: key, counter: 0))")
        for counter in [1, 2, 3, 255, 256, 65536] as [UInt32] {
            #expect(
                pdas["storage_account_counter_\(counter)"] == "\(program.storageAccount(of: key, counter: counter))")
        }
        #expect(pdas["stake_account"] == "\(program.stakeAccount(of: account))")
        #expect(pdas["unstake_account"] == "\(program.unstakeAccount(of: account))")
        #expect(pdas["unstake_info"] == "\(program.unstakeInfo(of: account))")
        #expect(pdas["owner_ata"] == "\(program.tokenAccount(of: key))")
        #expect(pdas["emissions_ata"] == "\(program.tokenAccount(of: program.emissions))")
    }

    private func instruction(_ name: String) throws -> Instruction {
        if name == "top_up_spl_transfer" {
            return program.topUp(Vectors.all.inputs.top_up_amount, owner: owner.publicKey, account: account)
        }
        return program.instruction(
            try #require(Vectors.instruction(name)), owner: owner.publicKey, account: account)
    }

    @Test("every golden transaction but the top-up, which is the token program's, is one of the program's instructions")
    func allAreCovered() {
        let others = Vectors.all.transactions.keys.filter { Vectors.instruction($0) == nil }
        #expect(others == ["top_up_spl_transfer"])
        #expect(Vectors.all.transactions.count == 11)
    }

    @Test("instructions", arguments: Vectors.all.transactions.keys.sorted())
    func instructions(name: String) throws {
        let vector = try #require(Vectors.all.transactions[name])
        let made = try instruction(name)
        #expect(made.program.description == vector.program)
        #expect(made.data == hex(vector.instruction_data_hex))
        #expect(made.accounts.map(\.key.description) == vector.accounts.map(\.pubkey))
        #expect(made.accounts.map(\.isSigner) == vector.accounts.map(\.isSigner))
        #expect(made.accounts.map(\.isWritable) == vector.accounts.map(\.isWritable))
        guard let asked = Vectors.instruction(name) else { return }
        let discriminator = try #require(vector.discriminator_hex)
        #expect(asked.kind.rawValue == name && asked.kind.discriminator == hex(discriminator))
        #expect(StorageInstruction(data: made.data) == asked)
        #expect(asked.kind.needsUploader == vector.accounts.contains { $0.role == "uploader" })
    }

    @Test(
        "messages, signatures and transactions, with and without compute budget",
        arguments: Vectors.all.transactions.keys.sorted())
    func transactions(name: String) throws {
        let order = try #require(Vectors.all.transactions[name]).rust_order
        for (vector, budget) in [
            (order.no_compute_budget, ComputeBudget.none), (order.with_compute_budget, Vectors.budget),
        ] {
            var made = try SolanaTransaction(
                payer: owner.publicKey, instructions: budget.instructions + [try instruction(name)],
                blockhash: Vectors.blockhash)
            let header = made.message.header
            #expect(header.requiredSignatures == vector.header.numRequiredSignatures)
            #expect(header.readOnlySigned == vector.header.numReadonlySignedAccounts)
            #expect(header.readOnlyUnsigned == vector.header.numReadonlyUnsignedAccounts)
            #expect(made.message.accountKeys.map(\.description) == vector.account_keys)
            #expect(made.message.compiledInstructions.count == vector.compiled_instructions.count)
            for (compiled, expected) in zip(made.message.compiledInstructions, vector.compiled_instructions) {
                #expect(compiled.program == expected.programIdIndex && compiled.accounts == expected.accounts)
                #expect(compiled.data == hex(expected.data_hex))
            }
            #expect(made.message.bytes == hex(vector.message_hex))
            #expect(made.message.bytes.base64EncodedString() == vector.message_base64)
            try made.sign(with: owner)
            #expect(made.signature?.description == vector.owner_signature_base58)
            #expect(made.signature?.bytes == hex(vector.owner_signature_hex))
            #expect(made.missingSigners.map(\.description) == vector.missing_signers)
            #expect(made.base64 == vector.transaction_base64)
            #expect(made.bytes.count == vector.transaction_length)

            let back = try SolanaTransaction(base64: vector.transaction_base64)
            #expect(back == made && back.base64 == vector.transaction_base64)
            try back.verify(allowingMissing: [program.uploader])
            if let asked = Vectors.instruction(name) {
                let understood = try program.parse(back)
                #expect(
                    understood
                        == StorageTransaction(
                            instruction: asked, owner: owner.publicKey, account: account, computeBudget: budget))
                var same = try program.transaction(
                    asked, owner: owner.publicKey, account: account, blockhash: Vectors.blockhash, computeBudget: budget
                )
                try same.sign(with: owner)
                #expect(same.base64 == vector.transaction_base64)
            }
        }
    }

    @Test("another order of the keys is understood too", arguments: Vectors.all.transactions.keys.sorted())
    func otherOrder(name: String) throws {
        let order = try #require(Vectors.all.transactions[name]).web3js_order
        for vector in [order.no_compute_budget, order.with_compute_budget] {
            let transaction = try SolanaTransaction(base64: vector.transaction_base64)
            #expect(transaction.base64 == vector.transaction_base64)
            try transaction.verify(allowingMissing: [program.uploader])
            guard let asked = Vectors.instruction(name) else { continue }
            #expect(try program.parse(transaction).instruction == asked)
        }
    }

    @Test("signed messages", arguments: Vectors.all.signed_messages.keys.sorted())
    func signedMessages(name: String) throws {
        let vector = try #require(Vectors.all.signed_messages[name])
        let message: SignedMessage
        if let names = vector.names {
            message = .upload(to: account, names: names)
        } else if let file = vector.file_name {
            message = .edit(file, in: account, hash: hex(try #require(vector.new_content_sha256_hex)))
        } else {
            message = .delete(try #require(vector.location), from: account)
        }
        #expect(message.text == vector.message && message.bytes == hex(vector.message_hex))
        #expect(message.bytes.count == vector.message_length)
        #expect(message.signature(by: owner).description == vector.signature_base58)
        #expect(message.signature(by: owner).isValid(of: message.bytes, by: owner.publicKey))
    }

    @Test("accounts, both ways")
    func accounts() throws {
        let vectors = Vectors.all.accounts
        func both<Layout: AccountLayout>(_ expected: Layout) throws {
            let vector = try #require(vectors[Layout.name])
            let data = try #require(Data(base64Encoded: vector.data_base64))
            #expect(Layout.discriminator == hex(vector.discriminator_hex))
            #expect(try Layout(data: data) == expected && expected.data == data)
            #expect(try Layout(data: data + Data(count: 100)) == expected, "accounts are larger than what they hold")
            for count in 0..<data.count {
                #expect(throws: AccountDataError.self) { try Layout(data: data.prefix(count)) }
            }
        }
        try both(UserInfo(accountCounter: 3, deletedCounter: 1))
        try both(
            StorageAccountV2(
                toBeDeleted: true, deleteRequestEpoch: 354, storage: 1_048_576, owner1: owner.publicKey,
                accountCounterSeed: 0, creationTime: 1_665_690_481, creationEpoch: 359, lastFeeEpoch: 359,
                identifier: "my-bucket"))
        try both(UnstakeInfo(time: 1_665_690_481, epoch: 359, unstaker: owner.publicKey))
        try both(
            StorageConfig(
                shadesPerGib: 250_000_000, storageAvailable: 109_951_162_777_600,
                tokenAccount: program.tokenAccount(of: program.emissions), admin: owner.publicKey,
                uploader: program.uploader))
        #expect(vectors.count == 4)
        #expect(StorageAccountV1.discriminator == hex("2930e7c2164dcdeb"))
    }

    @Test("a storage account of the first version, both ways")
    func firstVersion() throws {
        // By hand, field after field, as the contract's first version laid them out.
        var bytes = hex("2930e7c2164dcdeb") + hex("00" + "05000000" + "02000000" + "01" + "00" + "00000000")
        bytes += hex("0000100000000000" + "0000080000000000")
        bytes += owner.publicKey.bytes + program.uploader.bytes + program.emissions.bytes
        bytes += hex("07000000" + "0100000000000000" + "0200000000000000" + "716b4863" + "67010000" + "68010000")
        bytes += hex("03000000") + Data("old".utf8)
        let account = try StorageAccountV1(data: bytes)
        #expect(account.initCounter == 5 && account.deletedCounter == 2 && account.immutable && !account.toBeDeleted)
        #expect(account.storage == 1 << 20 && account.storageAvailable == 1 << 19)
        #expect(account.owner1 == owner.publicKey && account.owner2 == program.uploader)
        #expect(account.accountCounterSeed == 7 && account.creationTime == 1_665_690_481)
        #expect(account.lastFeeEpoch == 360 && account.identifier == "old" && account.data == bytes)
        #expect(throws: AccountDataError.otherKind(expected: "StorageAccountV2")) { try StorageAccountV2(data: bytes) }
    }

    @Test("storage costs what the config says, rounded up")
    func cost() throws {
        let config = StorageConfig(
            shadesPerGib: 250_000_000, storageAvailable: 0, tokenAccount: program.id, admin: program.id,
            uploader: program.id)
        #expect(config.cost(ofBytes: 1 << 30) == 250_000_000)
        #expect(config.cost(ofBytes: 1024) == 239, "238.4 shades")
        #expect(config.cost(ofBytes: 0) == 0 && config.cost(ofBytes: 1) == 1)
        #expect(config.cost(ofBytes: .max) == 4_294_967_296_000_000_000)
    }

    @Test("sizes", arguments: Vectors.all.primitives.size_text.keys.sorted())
    func sizes(text: String) throws {
        let expected = try #require(Vectors.all.primitives.size_text[text])
        let parsed: UInt64? = try? StorageSize.parse(text)
        #expect(parsed == expected)
    }
}
