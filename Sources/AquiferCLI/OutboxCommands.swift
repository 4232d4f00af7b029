import App
import Aquifer
import Foundation

/// `aquifer outbox list | send | retry ID | discard ID`: what waits to be sent.
struct OutboxCommand {
    private let name: String
    private let id: Outbox.ID?
    private let options: GlobalOptions

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        self.name = name
        self.options = options
        if name == "outbox retry" || name == "outbox discard" {
            let text = try arguments.next("the item's ID")
            guard let id = Outbox.ID(text) else {
                throw CommandError(
                    status: .usage, message: "\"\(text)\" is not the ID of an item; aquifer outbox list shows them")
            }
            self.id = id
        } else {
            id = nil
        }
        try arguments.end()
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let outbox = services.outbox
        do throws(OutboxError) {
            switch (name, id) {
            case ("outbox send", _): return try await send(outbox, console)
            case ("outbox retry", let id?):
                try await outbox.retry(id)
                return try await send(outbox, console)
            case ("outbox discard", let id?):
                _ = try await outbox.request(of: id)
                try await outbox.discard(id)
                if !options.quiet { console.note("discarded \(id)") }
                return .delivered
            default: return try await list(outbox, console)
            }
        } catch { throw CommandError(error) }
    }

    private func list(_ outbox: Outbox, _ console: Console) async throws(OutboxError) -> ExitStatus {
        let items = try await Self.items(outbox)
        if options.json {
            console.out(JSONText.object([("items", .array(items.map(\.json)))]).text)
            return .delivered
        }
        let now = options.configuration.now()
        let rows = items.map { item in
            [
                "\(item.id)", item.stateWord, item.label, "\(item.length)",
                Language.english.relative(item.queuedAt, now: now), item.detail(now: now),
            ]
        }
        console.table(
            ["ID", "STATE", "TITLE", "BYTES", "QUEUED", "DETAIL"], rows, options, ifEmpty: "nothing waits to be sent")
        return .delivered
    }

    /// Sends what can be sent now; the exit status tells whether anything is left, and why.
    private func send(_ outbox: Outbox, _ console: Console) async throws(OutboxError) -> ExitStatus {
        // What is not known of yet could not be brought forward.
        _ = try await Self.items(outbox)
        await outbox.prod()
        let report: Outbox.Report
        do throws(StoreError) { report = try await outbox.drain() } catch { throw .store(error) }
        let left = try await Self.items(outbox)
        if options.json {
            console.out(
                JSONText.object([
                    ("sent", .int(report.sent)), ("refused", .int(report.refused)), ("failed", .int(report.failed)),
                    ("left", .array(left.map(\.json))),
                ]).text)
        } else {
            console.out("sent \(report.sent), \(left.count) left")
            let now = options.configuration.now()
            for item in left { console.note("\(item.id) \(item.label): \(item.stateWord) \(item.detail(now: now))") }
        }
        if left.contains(where: { if case .refused = $0.state { true } else { false } }) { return .invalidData }
        return left.isEmpty ? .delivered : .unavailable
    }

    private static func items(_ outbox: Outbox) async throws(OutboxError) -> [Outbox.Item] {
        do throws(StoreError) { return try await outbox.items() } catch { throw .store(error) }
    }
}

extension Outbox.Item {
    /// The state in a word.
    fileprivate var stateWord: String {
        switch state {
        case .waiting: "waiting"
        case .retrying: "retrying"
        case .sending, .sendingElsewhere: "sending"
        case .paused: "paused"
        case .refused: "refused"
        case .damaged: "damaged"
        case .sent: "sent"
        case .gone: "gone"
        }
    }

    /// Why, and when again.
    fileprivate func detail(now: Date) -> String {
        switch state {
        case .retrying(let failure, let at):
            "\(failure); tries again \(at.timeIntervalSince(now) < 5 ? "soon" : Language.english.relative(at, now: now))"
        case .refused(let refusal): "\(refusal)"
        case .damaged(let reason): reason
        default: ""
        }
    }

    /// The item, for programs.
    var json: JSONText {
        .object([
            ("id", .int(Int(id.number))), ("state", .string(stateWord)), ("group", .string(group)),
            ("label", .string(label)), ("idempotency_key", .string(key)), ("bytes", .int(Int(length))),
            ("queuedAt", .string(queuedAt.formatted(.iso8601))), ("attempts", .int(attempts)),
            ("detail", .string(detail(now: queuedAt))),
        ])
    }
}

extension CommandError {
    /// An outbox that could not do what it was asked.
    init(_ error: OutboxError) {
        switch error {
        case .store(let error): self.init(error)
        case .attachment, .unsendable, .noSuchItem, .notNow:
            self.init(status: .usage, message: "\(error)")
        }
    }
}
