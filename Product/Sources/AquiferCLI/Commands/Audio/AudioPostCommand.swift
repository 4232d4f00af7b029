import App
import Aquifer
import AquiferAudioFeed
import Foundation

/// `aquifer audio post FILE --title TEXT [--author TEXT] [--later]`: posts a clip, now or when there is a connection.
struct AudioPostCommand: CommandHandler {
    private let call: CommandCall
    private let draft: ClipDraft
    private let later: Bool

    init(_ call: CommandCall) throws(CommandError) {
        let arguments = call.arguments
        guard let title = try arguments.value(Options.title) else {
            throw .usage("say what the clip is called: --title TEXT")
        }
        let author = try arguments.value(Options.author)
        do throws(ClipDraftError) {
            draft = try ClipDraft(title: title, author: author, file: URL(filePath: call.words[0]))
        } catch {
            let status: ExitStatus = if case .noFile = error { .notFound } else { .usage }
            throw CommandError(status: status, message: "\(error)")
        }
        later = arguments.has(Options.later)
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        defer { for notice in services.outbox.notices { call.console.note("\(notice)") } }
        return later ? try await queue(services) : try await post(services)
    }

    private func post(_ services: Services) async throws(CommandError) -> ExitStatus {
        let meter = call.console.meter(call.options, "posting \(draft.title)")
        let (draft, audio) = (draft, services.audio)
        let (result, isInterrupted) = await Interruption.ending { () async -> Result<ClipPosting, ClipPostError> in
            do throws(ClipPostError) {
                let size = draft.size
                return .success(
                    try await audio.post(draft, key: audio.newKey()) { meter.show(min($0, size), of: size) })
            } catch { return .failure(error) }
        }
        meter.end()
        let posting: ClipPosting
        do throws(ClipPostError) { posting = try result.get() } catch { throw CommandError(error) }
        switch posting {
        case .posted(let clip):
            if call.options.json {
                call.console.out(json: ResultDocument(remote: ClipDocument(clip)))
            } else {
                call.console.out(clip.id.uuidString)
            }
            // An outbox that cannot be read has failed to record it, too.
            let left = try? await services.outbox.items().filter { services.outbox.hasSent($0.id) }
            if left == [] { return .delivered }
            call.console.note("\(left?.first?.named ?? "the clip"): \(OutboxSending.unrecorded)")
            return .unrecorded
        case .waiting(let id, let failure):
            throw CommandError(
                status: .unknown,
                message:
                    "whether it was posted is not known: \(failure.words). It waits in the outbox as item \(id), and is"
                    + " repeated under the same key; aquifer outbox send --wait sends it, and so does aquifer serve")
        case .setAside(let id, let refusal):
            throw CommandError(
                status: .refused,
                message:
                    "the server refused it (\(refusal)), but it may have it all the same. It is in the outbox as item"
                    + " \(id); aquifer outbox retry \(id) posts it once, aquifer outbox discard \(id) lets it go")
        case .cancelled(let id?, _):
            throw CommandError(
                status: .interrupted,
                message:
                    "interrupted, but it may have arrived. It is in the outbox as item \(id), paused; aquifer outbox"
                    + " retry \(id) posts it once, aquifer outbox discard \(id) lets it go")
        case .cancelled(nil, let mayHaveArrived) where !isInterrupted:
            let words =
                mayHaveArrived ? "or sent it meanwhile, and it may have arrived" : "it meanwhile; it was not posted"
            throw CommandError(status: .unknown, message: "another process discarded \(words)")
        case .cancelled(nil, let mayHaveArrived):
            throw CommandError(
                status: .interrupted,
                message: mayHaveArrived ? "interrupted, but it may have arrived" : "interrupted; it was not posted")
        }
    }

    private func queue(_ services: Services) async throws(CommandError) -> ExitStatus {
        do throws(OutboxError) {
            let item = try await services.audio.postLater(draft)
            if call.options.json {
                call.console.out(
                    json: ResultDocument(local: OutboxItemDocument(item, now: call.options.configuration.now())))
                return .delivered
            }
            call.console.out("\(item.id)")
            if !call.options.quiet {
                call.console.note("it waits in the outbox; aquifer outbox send sends it, and so does aquifer serve")
            }
            return .delivered
        } catch { throw CommandError(notKept: error) }
    }
}

extension CommandError {
    /// A clip that was not posted, for certain.
    init(_ error: ClipPostError) {
        switch error {
        case .noConnectivity(let reason):
            self.init(
                status: .unavailable,
                "the server was not reached, and nothing was posted; try again, or have it posted later with --later",
                details: reason)
        case .refused(.server(let status, let words)):
            self.init(
                status: .refused,
                message: "the server refused it, and it was not posted: "
                    + "\(Outbox.Refusal.server(status: status, words: words))")
        case .refused(let refusal): self.init(status: .usage, message: "\(refusal)")
        case .notKept(let error): self.init(notKept: error)
        }
    }

    /// A clip that is not in the outbox, for certain or as far as is known.
    fileprivate init(notKept error: OutboxError) {
        switch error {
        case .store(.uncertain): self.init(error)
        case .store(let reason):
            let reason = CommandError(reason).message
            self.init(status: .store, message: "the clip was not posted, and is not in the outbox: \(reason)")
        default: self.init(error)
        }
    }
}
