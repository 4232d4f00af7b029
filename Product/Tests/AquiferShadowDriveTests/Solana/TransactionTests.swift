import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Transactions")
struct TransactionTests {
    private let program = Vectors.program

    private func key(_ random: inout SeededNumbers) -> PublicKey {
        PublicKey(bytes: Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }))!
    }

    private func keypair(_ random: inout SeededNumbers) throws -> Keypair {
        try Keypair(seed: key(&random).bytes)
    }

    /// Instructions of programs that do not exist, with accounts that repeat and mix their flags.
    private func instructions(_ random: inout SeededNumbers, signers: [PublicKey]) -> [Instruction] {
        let others = (0..<6).map { _ in key(&random) }
        return (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let accounts = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                let isSigner = Bool.random(using: &random)
                return Instruction.Account(
                    (isSigner ? signers : others).randomElement(using: &random)!, isSigner: isSigner,
                    isWritable: Bool.random(using: &random))
            }
            let data = Data(
                (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            return Instruction(program: key(&random), accounts: accounts, data: data)
        }
    }

    @Test("whatever is built comes back the same, 300 times at random")
    func roundTrip() throws {
        var random = SeededNumbers(seed: 2026)
        for _ in 0..<300 {
            let signers = try (0..<3).map { _ in try keypair(&random) }
            let asked = instructions(&random, signers: signers.map(\.publicKey))
            let hash = Blockhash(bytes: key(&random).bytes)!
            var made = try SolanaTransaction(payer: signers[0].publicKey, instructions: asked, blockhash: hash)
            for signer in signers where made.message.signers.contains(signer.publicKey) && Bool.random(using: &random) {
                try made.sign(with: signer)
            }
            let back = try SolanaTransaction(base64: made.base64)
            #expect(back == made && back.bytes == made.bytes && back.message.blockhash == hash)
            try back.verify(allowingMissing: Set(back.missingSigners))
            // Flags only ever grow by merging, and nothing else changes.
            #expect(asked.count == back.message.instructions.count)
            for (one, other) in zip(asked, back.message.instructions) {
                #expect(one.program == other.program && one.data == other.data)
                #expect(one.accounts.map(\.key) == other.accounts.map(\.key))
                for (wanted, found) in zip(one.accounts, other.accounts) {
                    #expect((!wanted.isSigner || found.isSigner) && (!wanted.isWritable || found.isWritable))
                }
            }
            let again = try Message(
                payer: signers[0].publicKey, instructions: back.message.instructions, blockhash: hash)
            #expect(again == made.message)
        }
    }

    @Test(
        "a byte changed anywhere in a signed one is found",
        arguments: ["initialize_account2", "request_delete_account2"])
    func mutated(name: String) throws {
        let vector = try #require(Vectors.all.transactions[name]).rust_order.with_compute_budget
        let bytes = try #require(Data(base64Encoded: vector.transaction_base64))
        for place in bytes.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] ^= change
                #expect(throws: TransactionError.self, "byte \(place)") {
                    try SolanaTransaction(bytes: changed).verify(allowingMissing: [program.uploader])
                }
            }
        }
        for count in 0..<bytes.count {
            #expect(throws: TransactionError.self) { try SolanaTransaction(bytes: bytes.prefix(count)) }
        }
        #expect(throws: TransactionError.malformed) { try SolanaTransaction(bytes: bytes + Data([0])) }
    }

    @Test("a missing signature is 64 zeros, and only who may be missing is")
    func missing() throws {
        var transaction = try program.transaction(
            .increase(bytes: 1), owner: Vectors.owner.publicKey, account: Vectors.account, blockhash: Vectors.blockhash)
        #expect(transaction.bytes.prefix(129) == Data([2]) + Data(count: 128))
        #expect(throws: TransactionError.missingSignature(Vectors.owner.publicKey)) {
            try transaction.verify(allowingMissing: [program.uploader])
        }
        try transaction.sign(with: Vectors.owner)
        #expect(throws: TransactionError.missingSignature(program.uploader)) { try transaction.verify() }
        let stranger = try Keypair()
        #expect(throws: TransactionError.notASigner(stranger.publicKey)) { try transaction.sign(with: stranger) }
        #expect(throws: TransactionError.invalidSignature(program.uploader)) {
            try transaction.add(stranger.sign(transaction.message.bytes), of: program.uploader)
        }
    }

    @Test("the server completes it with its own signature")
    func completed() throws {
        let server = try Keypair()
        let program = ShadowDriveProgram.v1(uploader: server.publicKey)
        var transaction = try program.transaction(
            .makeImmutable(used: 1), owner: Vectors.owner.publicKey, account: Vectors.account,
            blockhash: Vectors.blockhash)
        try transaction.sign(with: Vectors.owner)
        var received = try SolanaTransaction(base64: transaction.base64)
        #expect(received.missingSigners == [server.publicKey])
        try received.add(server.sign(received.message.bytes), of: server.publicKey)
        try received.verify()
        #expect(received.missingSigners.isEmpty && received.signature == transaction.signature)
    }

    @Test("more than 1 232 bytes are refused, 1 232 are not")
    func large() throws {
        func build(_ count: Int) throws -> SolanaTransaction {
            try SolanaTransaction(
                payer: Vectors.owner.publicKey,
                instructions: [Instruction(program: program.id, accounts: [], data: Data(count: count))],
                blockhash: Vectors.blockhash)
        }
        let overhead = try build(500).bytes.count - 500
        #expect(try build(1232 - overhead).bytes.count == 1232)
        #expect(try SolanaTransaction(base64: build(1232 - overhead).base64).bytes.count == 1232)
        #expect(throws: TransactionError.tooLarge(bytes: 1233)) { try build(1233 - overhead) }
        #expect(throws: TransactionError.tooLarge(bytes: 1233)) { try SolanaTransaction(bytes: Data(count: 1233)) }
        #expect(throws: TransactionError.self) { try SolanaTransaction(base64: String(repeating: "A", count: 1 << 20)) }
        #expect(throws: TransactionError.self) {
            try program.transaction(
                .create(name: String(repeating: "n", count: 2000), bytes: 1024), owner: Vectors.owner.publicKey,
                account: Vectors.account, blockhash: Vectors.blockhash)
        }
    }

    @Test("what is no transaction is refused for what it is")
    func wrong() throws {
        let good = try #require(
            Data(
                base64Encoded: Vectors.all.transactions["claim_stake2"]!.rust_order.no_compute_budget.transaction_base64
            ))
        func error(_ bytes: Data) -> TransactionError? {
            do throws(TransactionError) {
                _ = try SolanaTransaction(bytes: bytes)
                return nil
            } catch { return error }
        }
        #expect(error(Data()) == .truncated)
        #expect(error(Data([0]) + good.dropFirst(65)) == .wrongHeader, "no signature")
        var versioned = good
        versioned[65] = 0x80
        #expect(error(versioned) == .versioned)
        var header = good
        header[67] = 200
        #expect(error(header) == .wrongHeader)
        var repeated = good
        repeated.replaceSubrange(69 + 32..<69 + 64, with: repeated[69..<69 + 32])
        #expect(error(repeated) == .repeatedAccount)
        #expect(throws: TransactionError.notBase64) { try SolanaTransaction(base64: "not base64!") }
        let base64 = good.base64EncodedString()
        #expect(throws: TransactionError.notBase64) { try SolanaTransaction(base64: base64 + "\n") }
    }

    @Test("what the program does not do is not understood")
    func notUnderstood() throws {
        let owner = Vectors.owner.publicKey
        let good = program.instruction(.increase(bytes: 1), owner: owner, account: Vectors.account)
        func parse(_ instructions: [Instruction]) throws {
            _ = try program.parse(
                SolanaTransaction(payer: owner, instructions: instructions, blockhash: Vectors.blockhash))
        }
        try parse(Vectors.budget.instructions + [good])
        #expect(throws: TransactionError.self, "nothing") { try parse([]) }
        #expect(throws: TransactionError.self, "two") { try parse([good, good]) }
        #expect(throws: TransactionError.self, "price before limit") {
            try parse(Vectors.budget.instructions.reversed() + [good])
        }
        #expect(throws: TransactionError.self, "another program") {
            try parse([program.topUp(1, owner: owner, account: Vectors.account)])
        }
        for place in good.accounts.indices {
            var other = good
            other.accounts[place].key = program.emissions
            #expect(throws: TransactionError.self, "account \(place)") { try parse([other]) }
        }
        var more = good
        more.accounts.append(Instruction.Account(program.emissions))
        #expect(throws: TransactionError.self) { try parse([more]) }
        var writable = good
        writable.accounts[0].isWritable = true
        #expect(throws: TransactionError.self) { try parse([writable]) }
        var data = good
        data.data.append(0)
        #expect(throws: TransactionError.self) { try parse([data]) }
    }
}
