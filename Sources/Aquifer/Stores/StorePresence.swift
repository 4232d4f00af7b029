import AquiferFoundation

/// The knowledge of a shared store about who uses it and lives.
///
/// An ``Outbox`` over such a store writes the name of its instance into what it claims. When the process or the machine of that
/// instance has died, another sender takes the item over at once, and does not wait for the time of the claim
/// (``SendPolicy/lease``). It is a hint: that an item is sent once and in order follows from its claims alone.
///
/// PostgreSQL knows it by an advisory lock of a connection. Redis can by a key that each instance renews.
public protocol StorePresence: Sendable {
    /// The name under which others see that this instance lives; `nil` while they cannot.
    var name: String? { get }

    /// The time by the store's own clock, which is the same for all who share it: the ends of turns that guard something done once are
    /// dates of it.
    ///
    /// - Throws: ``StoreError`` if the place is out of reach.
    func time() async throws(StoreError) -> Date

    /// The names of instances that have gone for certain. An instance that was gone may come back under its name.
    ///
    /// - Throws: ``StoreError`` if the place is out of reach.
    func gone(among names: Set<String>) async throws(StoreError) -> Set<String>
}
