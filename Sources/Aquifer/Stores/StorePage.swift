/// A part of a list of a store's contents: see ``CacheStore/page(prefix:after:limit:)``.
///
/// A list of a million entries takes a second and hundreds of megabytes. In pages, each takes milliseconds:
///
/// ```swift
/// var after: String?
/// repeat {
///     let page = try await store.page(prefix: "", after: after, limit: 1_000)
///     total += page.contents.entries.map(\.size).reduce(0, +)
///     after = page.next
/// } while after != nil
/// ```
///
/// The pages of a list are no single moment of the store. An entry that is there from the first page to the last is listed once. One
/// that is stored or deleted meanwhile is listed, or it is not. Damage is told as ``CacheStore/contents(prefix:)`` tells it.
public struct StorePage: Sendable, Hashable {
    /// The entries of this page, and the damage that was found.
    public var contents: StoreContents
    /// The place where the next page begins; `nil` if this one is the last. It is the last key of the page.
    public var next: String?

    /// A page.
    public init(_ contents: StoreContents, next: String? = nil) {
        self.contents = contents
        self.next = next
    }

    /// The rest of a list after a key, as the last page. Damage is in it whatever its key: a key may be damaged too.
    public init(_ contents: StoreContents, after: String?) {
        self.init(contents)
        guard let after else { return }
        self.contents.entries.removeAll { !after.utf8.lexicographicallyPrecedes($0.key.utf8) }
    }
}
