import Aquifer
import AquiferFoundation

/// The detection of a deleted vault.
extension VaultStorage {
    var mark: VaultMark { VaultMark(in: folder) }

    /// True if there is no vault, and never was one with cards of the user.
    ///
    /// - Throws: ``VaultError/lost(path:)`` if there was one.
    func isMissing() throws(VaultError) -> Bool {
        guard !POSIX.exists(file.path) else { return false }
        let mark = try mark.read()
        guard mark != .missing, try !isUnused(mark) else { return true }
        // Another process may have created the vault since the first check.
        guard !POSIX.exists(file.path) else { return false }
        throw .lost(path: file.path)
    }

    /// Forgets a deleted vault, so that a new one can begin without its cards. Its key stays: a copy of the vault that
    /// turns up later can be opened.
    ///
    /// - Returns: True if there was a deleted vault.
    func forgetLost() throws(VaultError) -> Bool {
        do throws(VaultError) {
            _ = try isMissing()
            return false
        } catch {
            guard case .lost = error else { throw error }
        }
        return try folder.exclusively(patience) { () throws(VaultError) in
            guard !POSIX.exists(file.path) else { return false }
            try mark.remove()
            return true
        }
    }

    /// True if the vault's first change was never finished, so that no caller was told of a card in it.
    private func isUnused(_ mark: VaultMark.Reading) throws(VaultError) -> Bool {
        guard case .vault(let id) = mark else { return false }
        return try VaultCounter(of: id, in: keys).read() == .number(0)
    }
}
