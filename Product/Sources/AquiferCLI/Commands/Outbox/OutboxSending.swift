import App
import Aquifer
import Foundation

/// The sending of the outbox, with its progress and its report.
struct OutboxSending: Sendable {
    let outbox: Outbox
    let console: Console
    let options: GlobalOptions
    /// True if the command stays until everything was sent or refused.
    let waits: Bool

    /// The condition of an item that was sent and is still in the outbox.
    static let unrecorded =
        "sent, but that could not be recorded: the disk is full, too few files can be open (ulimit -n), or another process"
        + " holds the outbox; mend that, then aquifer outbox send repeats it under the same key, which a server takes once"

    /// Sends everything that can be sent now, or with `--wait` until all is sent or refused. The exit status shows if
    /// anything is left, and why.
    func run() async throws(OutboxError) -> ExitStatus {
        await outbox.retryAll()
        let progress = OutboxProgress(console, options, isTold: waits)
        let following = Task { await progress.follow(outbox) }
        let (result, isInterrupted) = await Interruption.ending {
            [waits] () async -> (report: Outbox.Report, error: StoreError?) in
            var report = Outbox.Report()
            do throws(StoreError) {
                if waits { try await outbox.drainToEnd(into: &report) } else { try await outbox.drain(into: &report) }
                return (report, nil)
            } catch { return (report, error) }
        }
        following.cancel()
        await following.value
        let report = result.report
        if let error = result.error {
            if report == Outbox.Report() { throw .store(error) }
            // The store that has failed may tell nothing of what is left either, and the report says so.
            tell(report, try? await outbox.listed(), error)
            return .store
        }
        let left = try await outbox.listed()
        tell(report, left)
        if isInterrupted { return .interrupted }
        if left.contains(where: { if case .refused = $0.state { true } else { false } }) { return .refused }
        return left.isEmpty && report.gone == 0 ? .delivered : .unknown
    }

    /// - Parameters:
    ///   - left: `nil` if it could not be read.
    ///   - error: ended the sending.
    private func tell(_ report: Outbox.Report, _ left: [Outbox.Item]?, _ error: StoreError? = nil) {
        let now = options.configuration.now()
        if options.json {
            let document = OutboxReportDocument(
                sent: report.sent, refused: report.refused, failed: report.failed, gone: report.gone,
                left: left?.map { OutboxItemDocument($0, now: now) })
            let failures = error.map { [FailureDocument("outbox", "\($0)")] }
            console.out(json: ResultDocument(local: document, failures: failures))
        } else {
            console.out("sent \(report.sent), \(left.map { "\($0.count)" } ?? "an unknown number") left")
            if report.gone > 0 {
                console.note("\(report.gone) discarded or sent by another process meanwhile, and may have arrived")
            }
            for item in left ?? [] {
                let condition = outbox.hasSent(item.id) ? Self.unrecorded : item.condition(now: now)
                console.note("\(item.named): \(condition)")
            }
        }
        if let error { console.note(CommandError(error).message) }
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
            case nil where outbox.hasSent(old.id): say("\(old.named): sent", meter)
            case .refused(let refusal)? where new?.state != old.state:
                say("\(old.named): refused: \(refusal)", meter)
            // The state is another one after `retryAll()`, too.
            case .retrying(let failure, _)? where new?.attempts != old.attempts:
                say("\(old.named): \(failure.words); it is tried again", meter)
            default: break
            }
        }
    }

    private func say(_ text: String, _ meter: Meter) {
        meter.end()
        console.note(text)
    }
}
