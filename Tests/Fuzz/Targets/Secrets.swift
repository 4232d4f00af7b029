import Foundation

@testable import Aquifer
@testable import AquiferCrypto
@testable import AquiferPayments
@testable import AquiferSolana

extension FuzzTarget {
    /// Files with secrets: key files and the vault.
    static let secrets: [FuzzTarget] = [
        .now("keypairs") { data in
            guard let bytes = try? KeypairText.bytes(of: data) else { return }
            let first = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if first == UInt8(ascii: "[") {
                let numbers = try? JSONDecoder().decode([UInt8].self, from: data)
                try promise(numbers == bytes, "a list is read that JSON reads otherwise")
            } else {
                let text = data.asText.trimmingCharacters(in: .whitespacesAndNewlines)
                try promise(Base58.encode(Data(bytes)) == text, "a key is read that base58 reads otherwise")
            }
            guard let pair = try? Keypair(text: data) else { return }
            try promise(pair.publicKey.bytes == Data(bytes.suffix(32)), "a key is another's")
        },
        .now("key-files") { data in
            // One input in 16 is taken as it is, the others get the right title and checksum.
            var input = FuzzInput(data)
            let isRaw = input.byte() % 16 == 0
            let body = Data("AQKEYS\u{0}\u{1}".utf8) + input.rest
            let file = try SecretFiles.shared()
            try file.fill(file.keys.file.path, with: isRaw ? input.rest : body + checksum(of: body))
            guard let keys = try? file.keys.keys() else { return }
            try promise((1...2).contains(keys.count), "a key file has no key, or more than two")
            var bytes = Data("AQKEYS\u{0}\u{1}".utf8) + [UInt8(keys.count)]
            for key in keys { key.withUnsafeBytes { bytes.append(contentsOf: $0) } }
            try promise(bytes == body, "a key is another than the file's")
        },
        .now("vault-marks") { data in
            var input = FuzzInput(data)
            let isCounter = input.byte() & 1 == 0
            let body = Data((isCounter ? "AQCOUNT\u{1}" : "AQMARK\u{0}\u{1}").utf8) + input.rest
            let file = try SecretFiles.shared()
            let path = isCounter ? file.counter.file.path : file.mark.file.path
            try file.fill(path, with: body + checksum(of: body))
            if isCounter {
                let isRight = input.rest.count == 8
                try promise(try file.counter.read() == (isRight ? .number(input.number()) : .damaged), "a wrong number")
            } else {
                let isVault = if case .vault = try file.mark.read() { true } else { false }
                try promise(isVault == (input.rest.count == 16), "a mark that is none, or one that is not seen")
            }
        },
        .now("vault") { data in
            // The header as it is, and with the right title and checksum.
            try checkHeader(data)
            let fields = Data("AQVAULT\n".utf8) + [0, 0, 0] + data.prefix(33)
            try checkHeader(fields + checksum(of: fields) + data.dropFirst(33))
            try checkBox(data)
        },
        .now("payment-records") { data in
            guard let record = try? JSONDecoder().decode(PaymentRecord.self, from: data) else { return }
            let again = try JSONDecoder().decode(PaymentRecord.self, from: JSONEncoder().encode(record))
            try promise(again == record, "a payment is another after it was saved")
            _ = (record.amount.text, record.amount.decimal, record.contact.initials, record.card.description)
        },
    ]

    private static func checksum(of bytes: Data) -> Data {
        let sum = bytes.withUnsafeBytes { Checksum.xxh64($0) }
        return withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }

    private static func checkHeader(_ file: Data) throws {
        guard let header = try? VaultHeader(reading: file, path: "") else { return }
        try promise(file.starts(with: header.bytes), "a header is another than the file's")
    }

    /// The content of a box, sealed with the right key. The first byte means nothing.
    private static func checkBox(_ data: Data) throws {
        var input = FuzzInput(data)
        _ = input.byte()
        let key = try SecretFiles.shared().key
        let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let header = VaultHeader(vault: id, key: key)
        let box = try Sealed.seal(input.rest, with: key, authenticating: header.bytes)
        guard let opened = try? VaultBox.open(box, with: key, header: header, path: "") else { return }
        for card in opened.cards { _ = (card.summary, card.description, card.expiry.text) }
        let sealed = try VaultBox.seal(opened.cards, change: opened.change, with: key, header: header.bytes)
        let again = try VaultBox.open(sealed, with: key, header: header, path: "")
        try promise(
            again.cards == opened.cards && again.change == opened.change, "cards are others after they were saved")
    }
}

/// A folder for the files whose decoders read them from the disk.
private struct SecretFiles: Sendable {
    let folder: PrivateFolder
    let keys: KeyFile
    let counter: VaultCounter
    let mark: VaultMark
    let key: SealingKey

    private static let made = Result { try SecretFiles() }
    static func shared() throws -> SecretFiles { try made.get() }

    private init() throws {
        let id = UUID()
        folder = PrivateFolder(path: Scratch.folder.appending(path: "secrets").path(percentEncoded: false))
        try folder.make()
        keys = KeyFile(of: id, in: folder)
        counter = VaultCounter(of: id, in: folder)
        mark = VaultMark(in: folder)
        key = try SealingKey(bytes: Data(repeating: 7, count: SealingKey.length))
    }

    func fill(_ path: String, with bytes: Data) throws {
        try POSIX.write(try POSIX.openToWrite(path, truncate: true), bytes)
    }
}
