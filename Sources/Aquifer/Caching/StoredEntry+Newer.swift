import AquiferFoundation

extension StoredEntry {
    /// True if this entry replaces `other`, which another caller saved while this entry was loaded.
    ///
    /// The remote's own clock decides if it dated both answers. Otherwise, and within the same second, the order of the
    /// requests decides; a value that was made here counts as requested when it was saved. A stamp after `now` comes
    /// from a wrong clock, and never wins.
    func isNewer(than other: StoredEntry, at now: Date) -> Bool {
        func credible(_ date: Date?) -> Date? { date.flatMap { $0 <= now ? $0 : nil } }
        if let mine = credible(origin?.answeredAt), let theirs = credible(other.origin?.answeredAt), mine != theirs {
            return mine > theirs
        }
        guard let theirs = credible(other.origin?.sentAt ?? other.savedAt), other.savedAt <= now else { return true }
        guard let mine = credible(origin?.sentAt ?? savedAt) else { return false }
        return mine >= theirs
    }
}
