/// The length of SQLite's log, and how much of it is in the file already. It decides when the rest is moved.
///
/// SQLite begins the log anew when a write finds that everything is moved. A store that is written to without a pause
/// never is in that state by itself: the log grows until a write waits for the move. What is moved must not count
/// meanwhile, or every write would start a move.
struct LogLength {
    /// The time of a move.
    enum Move {
        /// After a burst of writes.
        case later
        /// At once, beside the writer.
        case now
        /// At once, and the writer waits for it.
        case waiting
    }

    /// The number of pages at which they are moved at once.
    private static let soon = 1_000
    /// The number of pages, moved or not, at which writers wait, so that the log does not grow without bound.
    private static let late = 4_000

    private var pages = 0
    private var moved = 0

    /// Notes the number of pages after a write.
    mutating func written(_ count: Int) {
        // A shorter log was begun anew.
        if count < pages { moved = 0 }
        pages = count
    }

    /// Notes the number of pages that are in the file.
    mutating func moved(_ count: Int) { moved = min(count, pages) }

    /// The time of the move after a write.
    mutating func move() -> Move {
        if pages >= Self.late {
            (pages, moved) = (0, 0)  // until the next write says how long it is now
            return .waiting
        }
        return pages - moved >= Self.soon ? .now : .later
    }
}
