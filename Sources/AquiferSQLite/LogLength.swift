/// The length of SQLite's log, and how much of it is in the file already. It decides when the rest is moved.
///
/// SQLite begins the log anew when a write finds that everything is moved. A store that is written to without a pause
/// never is in that state by itself: a write has to wait for a move. It waits when little is left to move, or when the log
/// has become too long. Pages that are moved do not count otherwise, or every write would start a move.
struct LogLength {
    /// The time of a move.
    enum Move: Equatable {
        /// After a burst of writes.
        case later
        /// At once, beside the writer.
        case now
        /// At once. The writer waits for it, and it waits for others, at most for this time. The log is begun anew then, unless somebody
        /// reads from it for longer.
        case waiting(forOthers: Duration)
    }

    /// The number of pages at which they are moved at once.
    private static let soon = 1_000
    /// The number of pages that a writer waits for, so that a log of which the rest is moved begins anew. A short log is quicker to
    /// search.
    private static let little = 250
    /// The number of pages, moved or not, at which writers wait for any move.
    private static let late = 4_000
    /// The time to wait for others when little is left, and when the log has become too long.
    static let (shortWait, longWait) = (Duration.milliseconds(5), Duration.milliseconds(200))

    private var pages = 0
    private var moved = 0
    /// The number of pages at which writers wait the next time: for little, and for any move.
    private var (finishing, bound) = (soon, late)
    /// The number of pages until the next wait, after one in vain. A reader that stays keeps the log from beginning anew, and must not let
    /// each write wait.
    private var step = soon

    /// Notes the number of pages after a write.
    mutating func written(_ count: Int) {
        // A log that is shorter than before was begun anew. One that was begun anew and is longer already looks as if it went on: its pages
        // are moved a little later.
        if count < pages { (moved, finishing, bound, step) = (0, Self.soon, Self.late, Self.soon) }
        pages = count
    }

    /// Notes the number of pages that are in the file.
    mutating func moved(_ count: Int) { moved = min(count, pages) }

    /// Decides when the pages are moved after a write.
    mutating func nextMove() -> Move {
        let rest = pages - moved
        let isLong = pages >= bound
        guard isLong || (pages >= finishing && rest <= Self.little) else { return rest >= Self.soon ? .now : .later }
        (finishing, bound) = (pages + step, max(bound, pages + step))
        step = min(step * 2, 64 * Self.soon)
        return .waiting(forOthers: isLong ? Self.longWait : Self.shortWait)
    }
}
