import AquiferFoundation

/// The entries of one kind: the beginning of their keys, and the check of their bytes.
///
/// A feature makes its keys with a family and exports the family, so that a tool over the whole store, such as an
/// inspector, knows the feature's entries without a second list of keys.
///
/// Let the prefix end with the first `:` or `/` of the keys, as in `comments:`. The part before it is their ``KeyClass`` in
/// events.
public struct EntryFamily: Sendable {
    /// The beginning of the key of each entry.
    public let prefix: String
    private let check: @Sendable (Data) throws -> Void

    /// The entries whose keys begin with `prefix`.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of their keys.
    ///   - check: throws if an entry with these bytes cannot be used.
    public init(_ prefix: String, check: @escaping @Sendable (Data) throws -> Void) {
        self.prefix = prefix
        self.check = check
    }

    /// The entries whose keys begin with `prefix`, and which a codec writes.
    public init<Value>(_ prefix: String, codec: CacheCodec<Value>) {
        self.init(prefix) { _ = try codec.decode($0) }
    }

    /// The key of an entry: the prefix and a name.
    public func key(_ name: String) -> String { prefix + name }

    /// True if the key belongs to the family.
    public func contains(_ key: String) -> Bool { key.hasPrefix(prefix) }

    /// True if an entry with these bytes can be used.
    public func accepts(_ bytes: Data) -> Bool {
        do {
            try check(Variant.parts(of: bytes).bytes)
            return true
        } catch { return false }
    }
}
