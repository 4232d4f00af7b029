import AquiferShadowDrive

extension Services {
    /// True if a page may show a storage account and its files.
    ///
    /// One user alone may look at any account that a server publishes. Of several users, each sees accounts of the own key only.
    func mayShow(_ account: String, _ drive: ShadowDriveService) async -> Bool {
        guard user != nil else { return true }
        // A text that is no address names no account.
        guard let key = try? PublicKey(account), let accounts = drive.accounts else { return false }
        func has(_ list: AccountList) -> Bool { list.accounts.contains { $0.address == key } }
        // A list that cannot be read or loaded shows no account.
        if let saved = try? await accounts.saved(), has(saved.value) { return true }
        if let loaded = try? await accounts.load(), has(loaded.value) { return true }
        return false
    }
}
