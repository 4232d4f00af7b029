import AquiferFoundation

/// A command as the server takes it: the number of its words, and each word behind its length (redis.io, "Redis serialization protocol").
struct Command: Sendable {
    private(set) var bytes: [UInt8] = []

    /// A part of a command. No word is copied before the command is made.
    enum Word: Sendable {
        case text(String)
        case data(Data)
        /// One word of two parts.
        case name(String, key: String)
        case parts(Data, Data)

        var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .data(let data): data.count
            case .name(let beginning, let key): beginning.utf8.count + key.utf8.count
            case .parts(let first, let second): first.count + second.count
            }
        }
    }

    /// A command of a name and arguments.
    init(_ words: [Word]) {
        bytes.reserveCapacity(words.reduce(24) { $0 + $1.count + 24 })
        add(UInt8(ascii: "*"), words.count)
        for word in words {
            add(UInt8(ascii: "$"), word.count)
            switch word {
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .data(let data): add(data)
            case .name(let beginning, let key):
                bytes.append(contentsOf: beginning.utf8)
                bytes.append(contentsOf: key.utf8)
            case .parts(let first, let second):
                add(first)
                add(second)
            }
            bytes.append(contentsOf: Self.end)
        }
    }

    init(_ words: [Data]) { self.init(words.map(Word.data)) }

    init(_ words: String...) { self.init(words.map(Word.text)) }

    private static let end = Array("\r\n".utf8)

    private mutating func add(_ data: Data) { data.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    private mutating func add(_ kind: UInt8, _ number: Int) {
        bytes.append(kind)
        var unit = 1
        while number / unit > 9 { unit *= 10 }
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
        bytes.append(contentsOf: Self.end)
    }
}
