import Foundation

@testable import AquiferSolana

extension FuzzTarget {
    /// Solana's texts and bytes, which a chain, a server and other users write.
    static let chain: [FuzzTarget] = [
        .now("base58") { data in
            let text = Base58.encode(data.prefix(1_024))
            if text.utf8.count <= Base58.limit {
                try promise(try Base58.decode(text) == data.prefix(1_024), "bytes are others after base58")
            }
            let typed = data.asText
            guard let bytes = try? Base58.decode(typed) else { return }
            try promise(Base58.encode(bytes) == typed, "two texts stand for the same bytes")
            guard let key = try? PublicKey(typed) else { return }
            try promise(key.description == typed && key.bytes == bytes, "a key is written as another")
        },
        .now("compact-u16") { data in
            var reader = WireReader(data)
            var writer = WireWriter()
            do throws(WireReader.Failure) {
                while reader.left > 0 {
                    writer.count(try reader.compactU16())
                    writer.number(try reader.number(UInt16.self))
                    let text: String? = try reader.optional { (reader: inout WireReader) throws(WireReader.Failure) in
                        try reader.text()
                    }
                    writer.flag(text != nil)
                    if let text { writer.text(text) }
                }
            } catch {}
            try promise(data.starts(with: writer.bytes), "other bytes than those that are written were read")
        },
        .now("transactions") { data in
            var input = FuzzInput(data)
            switch input.byte() % 4 {
            case 0: try check(transaction: input.rest)
            case 1:
                guard let read = try? SolanaTransaction(base64: input.restText) else { return }
                try promise(read.base64 == input.restText, "two texts stand for one transaction")
                try check(transaction: read.bytes)
            case 2:
                guard let instruction = StorageInstruction(data: input.rest) else { return }
                try promise(instruction.data == input.rest, "two forms stand for one instruction")
            default: try wrap(input)
            }
        },
        .now("accounts") { data in
            var input = FuzzInput(data)
            switch input.byte() % 5 {
            case 0: try check(UserInfo.self, input.rest)
            case 1: try check(UnstakeInfo.self, input.rest)
            case 2: try check(StorageConfig.self, input.rest)
            case 3: try check(StorageAccountV1.self, input.rest)
            default: try check(StorageAccountV2.self, input.rest)
            }
        },
        .now("file-locations") { data in
            guard let location = FileLocation(data.asText) else { return }
            try promise(!location.name.isEmpty, "a file has no name")
            let again = FileLocation(location.text)
            try promise(again.map { $0.account == location.account } == true, "an address leads to another account")
            try promise(again?.name.isSame(location.name) == true, "an address leads to another file")
            try promise(again?.text == location.text, "an address is written in two ways")
        },
        .now("storage-sizes") { data in
            let text = data.asText
            guard let bytes = try? StorageSize.parse(text) else { return }
            try promise(bytes > 0, "a size is nothing")
            if let allowed = try? StorageSize.parseAccount(text) {
                try promise(StorageSize.accountRange.contains(allowed) && allowed == bytes, "a size is out of range")
            }
        },
    ]

    private static func check<Layout: AccountLayout>(_: Layout.Type, _ fields: Data) throws {
        if let raw = try? Layout(data: fields) { try promise(fields.starts(with: raw.data), "an account is another") }
        let data = Layout.discriminator + fields
        guard let account = try? Layout(data: data) else { return }
        try promise(data.starts(with: account.data), "other bytes than those that are written were read")
        if let config = account as? StorageConfig {
            try promise(config.cost(ofBytes: 0) == 0, "nothing costs something")
            _ = config.cost(ofBytes: .max)
        }
    }

    private static func check(transaction bytes: Data) throws {
        guard let transaction = try? SolanaTransaction(bytes: bytes) else { return }
        try promise(transaction.bytes == bytes, "two forms stand for one transaction")
        let message = transaction.message
        try promise(message.instructions.count == message.compiledInstructions.count, "an instruction is lost")
        // Keys that a program derives take long to compute: only instructions of the program need them.
        let isOurs = message.instructions.contains { $0.program == program.id }
        guard isOurs, let parsed = try? program.parse(transaction) else { return }
        let made = try program.transaction(
            parsed.instruction, owner: parsed.owner, account: parsed.account, blockhash: message.blockhash,
            computeBudget: parsed.computeBudget)
        try promise(try program.parse(made) == parsed, "a transaction is read as another")
    }

    /// Puts an instruction into a transaction, which is read as it was made.
    private static func wrap(_ input: FuzzInput) throws {
        var input = input
        let budget = ComputeBudget(
            units: input.byte() & 1 == 0 ? nil : UInt32(truncatingIfNeeded: input.number()),
            price: input.byte() & 1 == 0 ? nil : input.number())
        guard let instruction = StorageInstruction(data: input.rest) else { return }
        guard
            let made = try? program.transaction(
                instruction, owner: program.emissions, account: program.mint,
                blockhash: Blockhash(constant: "11111111111111111111111111111111"), computeBudget: budget)
        else { return }  // its name is too long
        let read = try SolanaTransaction(bytes: made.bytes)
        try promise(read == made, "a transaction is another after it was sent")
        let parsed = try program.parse(read)
        try promise(parsed.instruction == instruction, "an instruction is another after it was sent")
        try promise(parsed.computeBudget == budget, "a budget is another after it was sent")
    }

    private static let program = ShadowDriveProgram.v1
}
