import HTTPServer

/// Numbers in the format that Prometheus and its relatives read: OpenMetrics 1.0.
///
/// A family is begun with ``family(_:_:_:)``; its samples follow. ``finished()`` is the whole text, which ends with `# EOF`.
struct OpenMetricsText {
    /// The media type of the text.
    static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The kinds of families that are used here.
    enum Kind: String { case counter, gauge, histogram }

    private var lines: [String] = []
    private var name = ""
    private var kind = Kind.gauge

    /// Begins a family. The name of a counter has no `_total`.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        (self.name, self.kind) = (name, kind)
        lines.append("# TYPE \(name) \(kind.rawValue)")
        lines.append("# HELP \(name) \(Self.escape(help))")
    }

    /// Adds a sample of the family.
    mutating func sample(_ value: Double, _ labels: [(String, String)] = []) {
        add(kind == .counter ? "_total" : "", labels, Self.number(value))
    }

    /// Adds a sample of the family.
    mutating func sample(_ value: Int, _ labels: [(String, String)] = []) {
        add(kind == .counter ? "_total" : "", labels, "\(value)")
    }

    /// Adds the samples of one histogram.
    mutating func sample(_ histogram: Histogram, _ labels: [(String, String)] = []) {
        for (bound, count) in histogram.cumulative {
            add("_bucket", labels + [("le", Self.number(bound))], "\(count)")
        }
        add("_count", labels, "\(histogram.count)")
        add("_sum", labels, Self.number(histogram.sum))
    }

    /// The whole text.
    func finished() -> String { (lines + ["# EOF"]).joined(separator: "\n") + "\n" }

    private mutating func add(_ suffix: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0)=\"\(Self.escape($1))\"" }.joined(separator: ",")
        lines.append("\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        return value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : "\(value)"
    }

    private static func escape(_ text: String) -> String {
        text.replacingExactly("\\", with: "\\\\").replacingExactly("\n", with: "\\n")
            .replacingExactly("\"", with: "\\\"")
    }
}

/// A distribution of durations in seconds.
struct Histogram: Sendable {
    /// The upper bounds of the buckets; the last bucket has none. A local answer takes a millisecond, a remote one up to a minute.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    private var buckets = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var count = 0
    private(set) var sum = 0.0

    /// Adds a duration in seconds. A negative one, of a clock that was set back, counts as 0.
    mutating func add(_ seconds: Double) {
        let seconds = seconds.isFinite ? max(0, seconds) : 0
        buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        count += 1
        sum += seconds
    }

    /// The number of durations up to each bound.
    var cumulative: [(bound: Double, count: Int)] {
        var total = 0
        return zip(Self.bounds + [.infinity], buckets).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}
