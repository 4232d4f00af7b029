import AquiferCSodium

/// libsodium, made ready once.
enum Sodium {
    /// True if the library could be made ready: it can be used from any thread then. It fails if the system
    /// gives no random bytes.
    static let isReady = sodium_init() >= 0
}
