import Aquifer
import AquiferConcurrency
import Foundation

/// The log of the server: lines for a program that collects them, or a few words for people.
///
/// No line has a token, a query, an address, a key or a value. A reader that does not read holds nothing up: lines wait for it, at most
/// ``most``, and those beyond are counted and told later.
public final class ServiceLog: Sendable {
    /// The form of the lines.
    public enum Format: String, CaseIterable, Sendable {
        /// A JSON document a line, for each request and each event.
        case json
        /// A sentence a line, for what changes the service itself.
        case text
        /// No lines.
        case off
    }

    /// The number of lines that wait to be written.
    static let most = 4096

    private struct State {
        var waiting: [String] = []
        var dropped = 0
        var isEnded = false
        var isOver = false
    }

    private let format: Format
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void
    private let condition = NSCondition()
    /// Guarded by `condition`.
    nonisolated(unsafe) private var state = State()

    /// A log.
    ///
    /// - Parameters:
    ///   - now: the clock.
    ///   - write: writes a line, which has no line end. It is called on a thread of its own, and may block.
    public init(_ format: Format, now: @escaping @Sendable () -> Date, write: @escaping @Sendable (String) -> Void) {
        (self.format, self.now, self.write) = (format, now, write)
        if format == .off { state.isOver = true }
        guard format != .off else { return }
        do throws(SystemThread.Unavailable) {
            try SystemThread.start(named: "Log") { self.writeAll() }
        } catch {
            // Without a thread nothing is logged: serving comes first.
            state.isOver = true
        }
    }

    /// A log without lines.
    public static var off: ServiceLog { ServiceLog(.off, now: { Date() }, write: { _ in }) }

    /// Logs a line. In words, only those that have a sentence are told.
    func note(_ line: @autoclosure () -> LogLine) {
        switch format {
        case .off: return
        case .json:
            var line = line()
            line.time = now()
            add(WireJSON.text(line))
        case .text: if let sentence = line().sentence { add(sentence) }
        }
    }

    /// Writes what waits, for a second at most, and ends.
    func end() async {
        let deadline = Date(timeIntervalSinceNow: 1)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.condition.withLock {
                    self.state.isEnded = true
                    self.condition.broadcast()
                    while !self.state.isOver, self.condition.wait(until: deadline) {}
                }
                continuation.resume()
            }
        }
    }

    private func add(_ line: String) {
        condition.withLock {
            guard !state.isOver else { return }
            guard state.waiting.count < Self.most else {
                state.dropped += 1
                return
            }
            state.waiting.append(line)
            condition.signal()
        }
    }

    /// The life of the thread that writes.
    private func writeAll() {
        while let lines = next() {
            for line in lines { write(line) }
        }
        condition.withLock {
            state.isOver = true
            condition.broadcast()
        }
    }

    private func next() -> [String]? {
        let (lines, dropped) = condition.withLock {
            while state.waiting.isEmpty, !state.isEnded { condition.wait() }
            defer { (state.waiting, state.dropped) = ([], 0) }
            return (state.waiting, state.dropped)
        }
        if lines.isEmpty, dropped == 0 { return nil }
        guard dropped > 0, format == .json else { return lines }
        var line = LogLine("dropped", .warning)
        (line.time, line.count) = (now(), dropped)
        return lines + [WireJSON.text(line)]
    }
}

/// One line of the log. Its fields have classes and numbers, and nothing that somebody has typed.
struct LogLine: Encodable, Sendable {
    /// The weight of the line.
    enum Level: String, Encodable, Sendable { case info, warning, error }

    var time = Date(timeIntervalSince1970: 0)
    let level: Level
    let event: String
    var id: String?
    var method: String?
    var route: String?
    var status: Int?
    var milliseconds: Int?
    var bytes: Int?
    /// The class of the key of an event of the engine.
    var keyClass: String?
    var reason: String?
    var count: Int?
    /// The line for people; `nil` if they need none.
    var sentence: String?

    init(_ event: String, _ level: Level = .info, sentence: String? = nil) {
        (self.event, self.level, self.sentence) = (event, level, sentence)
    }

    private enum CodingKeys: String, CodingKey {
        case time, level, event, id, method, route, status, milliseconds, bytes, reason, count
        case keyClass = "class"
    }
}

extension LogLine {
    /// The line of an event of the engine; `nil` for those that come many times a second and are in the metrics.
    init?(_ event: AquiferEvent) {
        switch event {
        case .asked, .saved, .updated, .queued, .answered(_, _, _, nil): return nil
        case .answered, .refused: self.init(event.name, .warning)
        case .stoodIn, .evicted, .sent: self.init(event.name)
        }
        keyClass = EngineMetrics.label(event.keyClass)
        (milliseconds, bytes, reason) = (event.milliseconds, event.bytes, event.trouble?.rawValue)
        if case .refused(_, _, let status) = event { self.status = status }
    }
}
