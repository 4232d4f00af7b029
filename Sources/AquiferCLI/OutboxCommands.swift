import App
import Aquifer
import AquiferWording
import Foundation

/// `aquifer outbox list | send [--wait] | retry ID | discard ID`: the items that wait to be sent.
struct OutboxCommand {
    private let name: String
    private let id: Outbox.ID?
    private let waits: Bool
    private let options: GlobalOptions

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        self.name = name
        self.options = options
        waits = arguments.has("--wait")
        if name == "outbox retry" || name == "outbox discard" {
            let text = try arguments.next("the item's ID")
            guard let id = Outbox.ID(text) else {
                throw CommandError(
                    status: .notFound, message: "\"\(text)\" is not the ID of an item; aquifer outbox list shows them")
            }
            self.id = id
        } else {
            id = nil
        }
        try arguments.end()
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let outbox = services.outbox
        defer { for notice in outbox.notices { console.note("\(notice)") } }
        do throws(OutboxError) {
            switch (name, id) {
            case ("outbox send", _): return try await send(outbox, console)
            case ("outbox retry", let id?):
                try await outbox.retry(id)
                return try await send(outbox, console)
            case ("outbox discard", let id?):
                guard let discarded = try await outbox.discard(id) else {
                    throw .noSuchItem(id, try await Self.absence(of: id, outbox))
                }
                if discarded.mayHaveArrived {
                    console.note("discarded \(id), but it may have arrived all the same: a try of it had begun")
                } else if !options.quiet {
                    console.note("discarded \(id)")
                }
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
                item.isReadable ? Language.english.relative(item.queuedAt, now: now) : "", item.detail(now: now),
            ]
        }
        console.table(
            ["ID", "STATE", "TITLE", "BYTES", "QUEUED", "DETAIL"], rows, options, ifEmpty: "nothing waits to be sent")
        return .delivered
    }

    /// Sends everything that can be sent now, or with `--wait` until all is sent or refused. The exit status shows if
    /// anything is left, and why.
    private func send(_ outbox: Outbox, _ console: Console) async throws(OutboxError) -> ExitStatus {
        await outbox.hurry()
        let progress = OutboxProgress(console, options, isTold: waits)
        let following = Task { await progress.follow(outbox) }
        let (result, isInterrupted) = await Interruption.ending {
            [waits] () async -> Result<Outbox.Report, StoreError> in
            do throws(StoreError) {
                return .success(try await waits ? outbox.drainToEnd() : outbox.drain())
            } catch { return .failure(error) }
        }
        following.cancel()
        await following.value
        let report: Outbox.Report
        do throws(StoreError) { report = try result.get() } catch { throw .store(error) }
        let left = try await Self.items(outbox)
        tell(report, left, console)
        if isInterrupted { return .interrupted }
        if left.contains(where: { if case .refused = $0.state { true } else { false } }) { return .refused }
        return left.isEmpty ? .delivered : .unknown
    }

    private func tell(_ report: Outbox.Report, _ left: [Outbox.Item], _ console: Console) {
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
    }

    private static func items(_ outbox: Outbox) async throws(OutboxError) -> [Outbox.Item] {
        do throws(StoreError) { return try await outbox.items() } catch { throw .store(error) }
    }

    private static func absence(of id: Outbox.ID, _ outbox: Outbox) async throws(OutboxError) -> Outbox.Absence {
        do throws(StoreError) { return try await outbox.absence(of: id) } catch { throw .store(error) }
    }
}

/// The progress on standard error: of the item that is being sent, and, if told so, a line for each item that was sent
/// or refused.
private struct OutboxProgress: Sendable {
    private let console: Console
    private let options: GlobalOptions
    private let isTold: Bool

    init(_ console: Console, _ options: GlobalOptions, isTold: Bool) {
        self.console = console
        self.options = options
        self.isTold = isTold && !options.quiet && !options.json
    }

    /// Follows the queue until the task is cancelled.
    func follow(_ outbox: Outbox) async {
        let meter = console.meter(options, "sending")
        var before: [Outbox.Item] = []
        for await items in outbox.states() {
            if isTold { tell(before, items, outbox, meter) }
            let sending = items.first { if case .sending = $0.state { true } else { false } }
            if let sending, case .sending(let sent) = sending.state { meter.show(sent, of: sending.length) }
            before = items
        }
        meter.end()
    }

    private func tell(_ before: [Outbox.Item], _ after: [Outbox.Item], _ outbox: Outbox, _ meter: Meter) {
        let known = Dictionary(after.map { ($0.id, $0) }) { $1 }
        for old in before {
            let new = known[old.id]
            switch new?.state {
            case nil where outbox.hasSent(old.id): say("\(old.id) \(old.label): sent", meter)
            case .refused(let refusal)? where new?.state != old.state:
                say("\(old.id) \(old.label): refused \(refusal)", meter)
            // The state is another one when someone hurries, too.
            case .retrying(let failure, _)? where new?.attempts != old.attempts:
                say("\(old.id) \(old.label): \(failure); it is tried again", meter)
            default: break
            }
        }
    }

    private func say(_ text: String, _ meter: Meter) {
        meter.end()
        console.note(text)
    }
}

extension Outbox.Item {
    /// More than its number could be read.
    fileprivate var isReadable: Bool { if case .damaged = state { false } else { true } }

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

    /// The reason, and the time of the next try.
    fileprivate func detail(now: Date) -> String {
        switch state {
        case .retrying(let failure, let at):
            "\(failure); tries again \(at.timeIntervalSince(now) < 5 ? "soon" : Language.english.relative(at, now: now))"
        case .refused(let refusal): "\(refusal)"
        case .damaged(let reason): "\(reason); aquifer outbox discard \(id) takes it out"
        case .paused: "aquifer outbox retry \(id) sends it"
        default: ""
        }
    }

    /// The item, for programs.
    var json: JSONText {
        .object([
            ("id", .raw("\(id.number)")), ("state", .string(stateWord)), ("group", .string(group)),
            ("label", .string(label)), ("idempotency_key", .string(key)), ("bytes", .raw("\(length)")),
            ("queuedAt", isReadable ? .string(queuedAt.formatted(.iso8601)) : .null), ("attempts", .int(attempts)),
            ("detail", .string(detail(now: queuedAt))),
        ])
    }
}

extension CommandError {
    /// The error of a failed operation of the outbox.
    init(_ error: OutboxError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchItem:
            self.init(status: .notFound, message: "\(error); aquifer outbox list shows what there is")
        case .damaged: self.init(status: .store, message: "\(error)")
        case .attachment, .unsendable, .notNow: self.init(status: .usage, message: "\(error)")
        }
    }
}
