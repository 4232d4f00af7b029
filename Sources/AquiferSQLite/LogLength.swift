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
        /// At once, and the writer waits for it. Then the log is begun anew, unless somebody reads from it for long.
        case waiting
    }

    /// The number of pages at which they are moved at once.
    private static let soon = 1_000
    /// The number of pages, moved or not, at which writers wait.
    private static let late = 4_000

    private var pages = 0
    private var moved = 0
    /// The number of pages at which writers wait the next time.
    private var bound = late

    /// Notes the number of pages after a write.
    mutating func written(_ count: Int) {
        // A log that is shorter than before was begun anew. One that has become longer since it was begun anew, by another process,
        // looks as if it went on: its pages are moved a little later.
        if count < pages { (moved, bound) = (0, Self.late) }
        pages = count
    }

    /// Notes the number of pages that are in the file.
    mutating func moved(_ count: Int) { moved = min(count, pages) }

    /// Decides when the pages are moved after a write.
    mutating func nextMove() -> Move {
        guard pages < bound else {
            // A reader that stays must not let each write wait.
            bound = pages + Self.soon
            return .waiting
        }
        return pages - moved >= Self.soon ? .now : .later
    }
}
