import Foundation

/// What came of one damage.
public enum Verdict: Sendable, Hashable {
    /// The value is what it was.
    case unchanged
    /// An error said so. The text tells errors of one kind from those of another.
    case told(String)
    /// Neither: a promise is broken.
    case wrong(String)
}

/// Damages a file of a fixture in every way, one after another, and counts what comes of it.
public struct Sweep: Sendable, CustomStringConvertible {
    /// The file, as tests and tables name it.
    public let name: String
    /// The number of flipped bits.
    public private(set) var flips = 0
    /// The number of lengths.
    public private(set) var cuts = 0
    /// The number of damages that changed no value.
    public private(set) var unchanged = 0
    /// The number of damages that each kind of error told.
    public private(set) var told: [String: Int] = [:]
    /// The damages that broke a promise, and how.
    public private(set) var wrong: [String] = []

    /// - Parameters:
    ///   - limit: see ``Damage/all(of:limit:bits:)``.
    ///   - mayChange: true if the damaged file may be replaced, because the documentation says so.
    ///   - judge: opens the damaged files, and says what came of it.
    public init(
        _ name: String, _ path: String, of fixture: Fixture, limit: Int = 300, bits: Range<Int>? = nil,
        mayChange: Bool = false, judge: (Damage) async throws -> Verdict
    ) async throws {
        self.name = name
        let whole = fixture.bytes(path)
        for damage in Damage.all(of: whole.count, limit: limit, bits: bits) {
            try fixture.restore()
            let damaged = damage.applied(to: whole)
            try fixture.put(damaged, at: path)
            count(damage, try await judge(damage))
            // A file that is gone, or cannot be read, was changed. One that was put right again was mended.
            let left = try? fixture.read(path)  // as above
            if !mayChange, left != damaged, left != whole {
                count(damage, .wrong("the damaged file was changed"))
            }
        }
        try fixture.restore()
        report()
    }

    private mutating func count(_ damage: Damage, _ verdict: Verdict) {
        switch verdict {
        case .wrong(let how): return wrong.append("\(damage): \(how)")
        case .unchanged: unchanged += 1
        case .told(let kind): told[kind, default: 0] += 1
        }
        if case .flip = damage { flips += 1 } else { cuts += 1 }
    }

    /// A row of the table, with the first broken promises below it.
    public var description: String {
        let errors = told.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let row = "| \(name) | \(flips) | \(cuts) | \(unchanged) | \(errors) | \(wrong.count) |"
        return ([row] + wrong.prefix(12)).joined(separator: "\n")
    }

    /// Appends the row to the file that `AQUIFER_EVERY_BIT_TABLE` names, if there is such a variable.
    private func report() {
        guard let path = ProcessInfo.processInfo.environment["AQUIFER_EVERY_BIT_TABLE"] else { return }
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        // A table that cannot be written fails no test.
        guard let handle = FileHandle(forWritingAtPath: path), (try? handle.seekToEnd()) != nil else { return }
        try? handle.write(contentsOf: Data("\(description)\n".utf8))  // as above
        try? handle.close()  // as above
    }
}
