import App
import Aquifer
import AquiferFoaas
import AquiferWording

extension FoaasService {
    /// Prints the phrase of `say`. Without a connection it reports that, and offers the last phrases seen.
    func printPhrase(
        _ call: CommandCall, filters: Bool, _ say: () async throws(FoaasError) -> Foaas
    ) async throws(CommandError) -> ExitStatus {
        func shown(_ phrase: Foaas) -> Foaas { filters ? ProfanityFilter.filter(phrase) : phrase }
        do throws(FoaasError) {
            let phrase = shown(try await say())
            if call.options.json {
                call.console.out(json: ResultDocument(remote: PhraseDocument(phrase)))
            } else {
                call.console.out(lines: [phrase.message, phrase.subtitle].filter { !$0.isEmpty })
            }
            return .delivered
        } catch {
            if case .load(.connectivity(let reason)) = error {
                var failure = CommandError(
                    status: .unavailable, error.message(in: .english), details: reason.details)
                // Without those there is still the error.
                let seen = (try? await self.seen.all()) ?? []
                if !call.options.quiet && !seen.isEmpty {
                    let phrases = seen.prefix(3).map { shown($0.phrase) }
                    failure.remarks =
                        ["the last ones seen:"] + phrases.map { "  \($0.message) \($0.subtitle)" }
                }
                throw failure
            }
            switch error {
            case .path(let error): throw CommandError(status: .usage, message: "\(error)")
            case .load(let error): throw CommandError(error)
            }
        }
    }
}
