import Aquifer
import AquiferWording

/// An error of a vault. It changes no stored card. An error never contains a number or a key.
public enum VaultError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of the vault is missing.
    case missingKey(path: String)
    /// The vault was sealed with a key that its key file does not have.
    case wrongKey(path: String)
    /// The key with which the machines of a shared store seal is not on this machine.
    case missingSharedKey(path: String)
    /// The file has another key than the one with which the machines of a shared store seal.
    case foreignSharedKey(path: String)
    /// The key of a shared store is not replaced.
    case sharedKeyStays
    /// A file is truncated, or was changed since it was written.
    case damaged(path: String)
    /// The vault is an older copy: it contains change number `change`, and the number beside its key is `last`. `last`
    /// is `nil` if that number is missing or damaged, so that the vault may or may not be the latest. The user decides:
    /// ``CardVault/acceptOlder()`` or ``CardVault/discardOlder()``.
    case rolledBack(path: String, change: UInt64, last: UInt64?)
    /// The file of the cards was deleted. The user restores a copy of it, or begins without the cards:
    /// ``CardVault/discardOlder()``.
    case lost(path: String)
    /// Another version has written the vault: a newer one, or one before the first release. It was left unchanged.
    case otherVersion(path: String, found: Int, supported: Int)
    /// Other users may read the file or folder. `fix` is the command that corrects its permissions.
    case tooOpen(path: String, fix: String)
    /// There is no room left on the device.
    case full(path: String)
    /// It cannot be written to.
    case readOnly(path: String)
    /// Another process held the lock for longer than this one waits.
    case busy(path: String)
    /// Reading, writing or the cryptographic library failed in another way.
    case failed(reason: String)

    /// One line with the error and the remedy.
    public var description: String {
        switch self {
        case .missingKey(let path):
            "the key of the saved cards is missing; put \(path) back, or move the vault away and add the cards again"
        case .wrongKey(let path):
            "\(path) was sealed with another key; put the key file that belongs to it back"
        case .missingSharedKey(let path):
            "the key with which the machines of this store seal is missing here; copy it to \(path) from a machine that has"
                + " it, so that nobody else can read it"
        case .foreignSharedKey(let path):
            "\(path) is another key than the one with which the machines of this store seal; put that one in its place"
        case .sharedKeyStays:
            "all machines and users of a shared store use one key, and it cannot be replaced"
        case .damaged(let path):
            "\(path) is damaged; put a copy of it back, or move it away and add the cards again"
        case .rolledBack(let path, let change, let last?):
            "\(path) is an older copy (of change \(change), the last was \(last)), in which removed cards may be back;"
                + " put the latest one in its place, or decide whether to keep its cards or to remove them all"
        case .rolledBack(let path, _, nil):
            "nothing tells whether \(path) is the latest: the number of its last change, kept beside its key, is missing or"
                + " damaged; put that file back, or decide whether to keep the cards or to remove them all"
        case .lost(let path):
            "\(path), in which cards were kept, is gone; put a copy of it back, or begin without those cards"
        case .otherVersion(let path, let found, let supported):
            StoreError.words(of: path, found: found, supported: supported)
        case .tooOpen(let path, let fix):
            "\(path) is open to others; run: \(fix)"
        case .full(let path):
            "there is no room left on the device of \(path); free some, then try again"
        case .readOnly(let path):
            "\(path) cannot be written to; check its permissions"
        case .busy(let path):
            "\(path) is held by another process; try again"
        case .failed(let reason):
            "the saved cards could not be used: \(reason)"
        }
    }

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .missingKey, .wrongKey, .missingSharedKey, .foreignSharedKey: language.text("vault.noKey")
        case .damaged: language.text("vault.damaged")
        case .rolledBack(_, _, .some): language.text("vault.rolledBack")
        case .rolledBack(_, _, nil): language.text("vault.perhapsRolledBack")
        case .lost: language.text("vault.lost")
        case .otherVersion: language.text("vault.otherVersion")
        case .tooOpen(_, let fix): language.text("vault.tooOpen", ["fix": fix])
        case .full: language.text("vault.full")
        case .readOnly: language.text("vault.readOnly")
        case .busy: language.text("vault.busy")
        case .failed, .sharedKeyStays: language.text("vault.failed")
        }
    }

    /// The meaning of a failure of the operating system.
    init(_ error: StoreError) {
        switch error {
        case .full(let path): self = .full(path: path)
        case .readOnly(let path): self = .readOnly(path: path)
        case .busy(let path): self = .busy(path: path)
        case .failed(let operation, let reason): self = .failed(reason: "could not \(operation): \(reason)")
        case .notAStore(let path): self = .failed(reason: "\(path) is not what it should be")
        case .unreadable, .otherVersion, .invalidKey, .damaged, .lost, .uncertain, .ended:
            self = .failed(reason: "\(error)")
        }
    }
}

/// Runs POSIX calls of the engine, and throws a failure as an error of the vault.
func posix<Value>(_ body: () throws(StoreError) -> Value) throws(VaultError) -> Value {
    do throws(StoreError) { return try body() } catch { throw VaultError(error) }
}
