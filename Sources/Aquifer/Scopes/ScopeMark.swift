import AquiferFoundation

/// What a store knows of a scope: its generation, and how far its end is. It is one entry, so that each step is atomic.
///
/// No mark is no generation. A generation that a mark does not name has ended, and never comes back: its name is drawn.
struct ScopeMark: Codable, Sendable, Hashable {
    /// How far the end of the generation is.
    enum Ending: String, Codable, Sendable {
        /// Nothing is written any more, and nothing is deleted yet: unsent changes are being counted. Whoever finds this
        /// after a crash takes it back.
        case counting
        /// Everything is being deleted.
        case deleting
        /// Everything but unsent changes is being deleted.
        case keeping
        /// Only unsent changes are left, for the next generation.
        case kept
    }

    /// The name of the generation.
    var generation: String
    var ending: Ending?
    /// The number of times that unsent changes were counted: a count is valid only while it is that of the mark.
    var counts = 0
    /// The generation before, whose unsent changes are still being moved into this one.
    var predecessor: String?
    /// The paths of the files and folders to delete with the scope.
    var files: Set<StoreKey> = []
    /// The paths of the folders that unsent changes need.
    var attachments: Set<StoreKey> = []

    init(generation: String, predecessor: String? = nil) {
        self.generation = generation
        self.predecessor = predecessor
    }

    /// The mark of an entry; `nil` if there is none.
    ///
    /// - Throws: what the store threw; ``StoreError/unreadable(key:reason:)`` if the entry is no mark of this version.
    init?(_ found: Result<StoredEntry?, StoreError>, _ key: String) throws(StoreError) {
        guard let entry = try found.get() else { return nil }
        try self.init(entry, key)
    }

    init(_ entry: StoredEntry, _ key: String) throws(StoreError) {
        do { self = try JSONDecoder().decode(Self.self, from: entry.bytes) } catch {
            throw .unreadable(key: key, reason: "not a scope of this version")
        }
    }

    /// The mark as an entry. It has no age.
    func entry() throws(StoreError) -> StoredEntry {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return StoredEntry(bytes: try encoder.encode(self), savedAt: Date(timeIntervalSinceReferenceDate: 0))
        } catch {
            throw .failed(operation: "mark a scope", reason: "\(type(of: error))")
        }
    }
}

/// The keys of a scope in the store around it. A name is percent-encoded and terminated: `user/4` is no prefix of `user/42`.
package struct ScopeKeys: Sendable {
    /// The beginning of the keys of all marks.
    static let marks = "scope:"
    /// The beginning of the keys of all entries of scopes.
    package static let entries = "scope/"
    /// The beginning of both.
    static let common = "scope"

    /// The encoded name.
    let name: String

    init(_ name: String) { self.name = PercentEncoding.encode(name) }

    /// The key of the mark, outside of the range of the entries.
    var mark: String { Self.marks + name }
    /// The beginning of the keys of all generations.
    var all: String { Self.entries + name + "/" }

    /// The beginning of the keys of a generation.
    func generation(_ generation: String) -> String { all + generation + "/" }

    /// True if this is the key of a mark, or of that of a scope inside, in the store around.
    static func isMark(_ key: String) -> Bool {
        var key = key[...]
        while key.utf8.starts(with: entries.utf8) {
            let parts = key.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4 else { return false }
            key = key[parts[3].startIndex...]
        }
        return key.utf8.starts(with: marks.utf8) && !key.utf8.contains(UInt8(ascii: "/"))
    }

    /// The beginning of the key of an entry that all entries of its outermost scope's generation share; `nil` outside of scopes.
    package static func part(of key: String) -> String? {
        var slashes = 0
        guard key.hasBytes(entries),
            let end = key.utf8.firstIndex(where: {
                if $0 == UInt8(ascii: "/") { slashes += 1 }
                return slashes == 3
            })
        else { return nil }
        return String(decoding: key.utf8[...end], as: UTF8.self)
    }

    /// The scope's encoded name and the generation in the key of an entry.
    static func parts(_ key: String) -> (name: String, generation: String)? {
        let parts = key.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, key.hasBytes(entries) else { return nil }
        return (String(decoding: parts[1], as: UTF8.self), String(decoding: parts[2], as: UTF8.self))
    }
}
