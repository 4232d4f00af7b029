import AquiferTesting
import Foundation
import Hammer

/// The places that parent, senders and server agree on.
struct Place: Sendable {
    let folder: URL

    init(_ path: String) { folder = URL(fileURLWithPath: path, isDirectory: true) }

    var store: URL { folder.appendingPathComponent("outbox.db") }
    var attachments: URL { folder.appendingPathComponent("attachments") }
    /// The file with the port of the running server.
    var port: URL { folder.appendingPathComponent("port") }
    /// The log of the server's items: a line for each item, in the order in which they came.
    var log: URL { folder.appendingPathComponent("server.log") }
}

/// An item as the server gets it, of which every byte follows from these three.
struct Note: Hashable, Comparable {
    var writer: Int
    var group: Int
    var index: Int

    /// The group of the item: items of one group keep their order.
    var groupName: String { "\(writer).\(group)" }
    var name: String { "\(writer) \(group) \(index)" }
    /// True for every third item: it has a file beside it.
    var hasFile: Bool { index % 3 == 0 }

    init(writer: Int, group: Int, index: Int) {
        self.writer = writer
        self.group = group
        self.index = index
    }

    init?(_ text: Substring) {
        let words = text.split(separator: " ").compactMap { Int($0) }
        guard words.count == 3 else { return nil }
        self.init(writer: words[0], group: words[1], index: words[2])
    }

    var fileContent: Data {
        var numbers = SeededNumbers(seed: UInt64(index) << 32 ^ UInt64(writer) << 8 ^ UInt64(group))
        return Data((0..<20_000).map { _ in UInt8(truncatingIfNeeded: numbers.next()) })
    }

    var body: Data { Data("\(name)\n".utf8) + (hasFile ? fileContent : Data()) }

    static func < (one: Note, other: Note) -> Bool {
        (one.writer, one.group, one.index) < (other.writer, other.group, other.index)
    }
}
