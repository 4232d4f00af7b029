/// Receives what the engine does, while it does it: for logs, signposts, metrics and traces.
///
/// ```swift
/// struct Printed: AquiferEvents {
///     func note(_ event: AquiferEvent) { print(event) }  // answered feed: 21 ms, 3400 bytes
/// }
/// let feed = Cache<[Item]>(key: "feed:1", in: store, events: Printed())
/// ```
///
/// Pass it to a ``Cache`` (the ``Resource`` over it tells its loads, too), a ``PagedResource``, a ``DataLoader``,
/// ``Downloads``, an ``EvictingStore`` and an ``Outbox``. Without one, nothing is measured, counted or made.
public protocol AquiferEvents: Sendable {
    /// Takes an event. It is called on any thread, from many tasks at once, and the engine waits until it returns: be quick,
    /// and ask the engine for nothing.
    func note(_ event: AquiferEvent)
}

/// Something that the engine has done: a class of keys, milliseconds, bytes. It never has a value, a whole key, an address
/// or a token.
///
/// Milliseconds are those of the clock that was injected into the part that tells (`now`). A clock that was set back gives 0.
public enum AquiferEvent: Sendable, Hashable {
    /// A load, or a download, asks its remote.
    case asked(KeyClass)
    /// The remote has answered, or has not: then there is the trouble. The bytes are those of the body.
    case answered(KeyClass, milliseconds: Int, bytes: Int, trouble: RemoteTrouble?)
    /// An entry, or a downloaded file, was saved. The bytes are those of the encoded value, or of the file.
    case saved(KeyClass, milliseconds: Int, bytes: Int)
    /// A saved copy of this age was delivered in place of the latest, because of the trouble.
    case stoodIn(KeyClass, age: Duration, trouble: RemoteTrouble?)
    /// Those who follow a value (``Resource/updates``) are told a new state of it: why, and the age of the copy that they show;
    /// `nil` if none is shown. It is told once, however many follow.
    case updated(KeyClass, cause: UpdateCause, age: Duration?)
    /// An entry was deleted to keep a store within its bound.
    case evicted(KeyClass, bytes: Int)
    /// An item was queued in an outbox. The bytes are those of the request's body.
    case queued(KeyClass, bytes: Int)
    /// The server has accepted an item of an outbox.
    case sent(KeyClass, milliseconds: Int, bytes: Int)
    /// An item of an outbox was refused, and is set aside. The status is `nil` if the item could not be sent at all.
    case refused(KeyClass, milliseconds: Int, status: Int?)
}

/// The kind of thing that a key stands for: the part of the key before its first `:` or `/`.
///
/// That is where the ``EntryFamily`` of a feature ends: the class of `comments:4711` is `comments`. A key without such a
/// part, or with more than 40 bytes in it, has the class ``other``, because the whole key may be somebody's name.
public struct KeyClass: Sendable, Hashable, CustomStringConvertible {
    /// The name of the class.
    public let name: String

    /// The class of a key.
    public init(of key: String) {
        // What follows a number sign is the position of a page in its list.
        let bytes = key.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let end = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            end > bytes.startIndex, bytes.distance(from: bytes.startIndex, to: end) <= 40
        else {
            self = .other
            return
        }
        name = String(key[..<end]).harmless
    }

    private init(name: String) { self.name = name }

    /// The class of a key that names none.
    public static let other = KeyClass(name: "other")
    /// The class of downloaded files.
    public static let download = KeyClass(name: "download")

    /// The name.
    public var description: String { name }
}
