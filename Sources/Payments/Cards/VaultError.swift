import Aquifer

/// Why a vault could not do what it was asked. Nothing was lost: what was kept is still there. It never holds a
/// number or a key.
public enum VaultError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The vault is there, its key is not.
    case missingKey(path: String)
    /// The vault was sealed with a key that its key file does not have.
    case wrongKey(path: String)
    /// A file is cut, or has changed since it was written.
    case damaged(path: String)
    /// The vault was written by a newer version. It was left as it is.
    case newerVersion(path: String, found: Int, supported: Int)
    /// Others may read it. `fix` is the command that ends this.
    case tooOpen(path: String, fix: String)
    /// There is no room left on the device.
    case full(path: String)
    /// It cannot be written to.
    case readOnly(path: String)
    /// Another process held it for longer than this one was ready to wait.
    case busy(path: String)
    /// Reading, writing or the cryptographic library failed in another way.
    case failed(reason: String)

    /// One line: what was wrong, and what to do.
    public var description: String {
        switch self {
        case .missingKey(let path):
            "the key of the saved cards is missing; put \(path) back, or move the vault away and add the cards again"
        case .wrongKey(let path):
            "\(path) was sealed with another key; put the key file that belongs to it back"
        case .damaged(let path):
            "\(path) is damaged; put a copy of it back, or move it away and add the cards again"
        case .newerVersion(let path, let found, let supported):
            "\(path) was written by a newer version (format \(found), this one knows \(supported)); update"
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

    /// What the customer is told.
    public func message(in language: Language) -> String {
        switch self {
        case .missingKey, .wrongKey:
            language.pick(
                "The saved cards can’t be opened: their key is missing. Nothing was deleted.",
                "Não deu para abrir os cartões salvos: falta a chave deles. Nada foi apagado.")
        case .damaged:
            language.pick(
                "The saved cards can’t be read: the file is damaged. Nothing was deleted.",
                "Não deu para ler os cartões salvos: o arquivo está danificado. Nada foi apagado.")
        case .newerVersion:
            language.pick(
                "The saved cards are from a newer version. Update to use them.",
                "Os cartões salvos são de uma versão mais nova. Atualize para usá-los.")
        case .tooOpen(_, let fix):
            language.pick(
                "Other people on this computer could read the saved cards. To end that, run: \(fix)",
                "Outras pessoas neste computador poderiam ler os cartões salvos. Para evitar isso, execute: \(fix)")
        case .full:
            language.pick(
                "There is no room left to save cards.", "Não há mais espaço para salvar cartões.")
        case .readOnly:
            language.pick(
                "Cards can’t be saved: the folder can’t be written to.",
                "Não deu para salvar: a pasta dos cartões não permite escrita.")
        case .busy:
            language.pick(
                "The saved cards are in use. Try again in a moment.",
                "Os cartões salvos estão em uso. Tente de novo em instantes.")
        case .failed:
            language.pick("The saved cards can’t be used just now.", "Não deu para usar os cartões salvos agora.")
        }
    }

    /// What a failure of the operating system means here.
    init(_ error: StoreError) {
        switch error {
        case .full(let path): self = .full(path: path)
        case .readOnly(let path): self = .readOnly(path: path)
        case .busy(let path): self = .busy(path: path)
        case .failed(let operation, let reason): self = .failed(reason: "could not \(operation): \(reason)")
        case .notAStore(let path): self = .failed(reason: "\(path) is not what it should be")
        case .unreadable, .newerVersion, .invalidKey: self = .failed(reason: "\(error)")
        }
    }
}

/// Runs what the engine's POSIX calls do, and tells a failure as the vault's.
func posix<Value>(_ body: () throws(StoreError) -> Value) throws(VaultError) -> Value {
    do throws(StoreError) { return try body() } catch { throw VaultError(error) }
}
