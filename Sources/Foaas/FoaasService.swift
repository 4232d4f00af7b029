import Aquifer
import Foundation

/// Phrases and operations, composed.
public struct FoaasService: Sendable {
    /// What can be said: the latest list, or the one saved less than seven days ago.
    public let operations: Resource<FoaasOperations>
    /// The last phrases seen.
    public let seen: SeenPhrases
    /// The server.
    public let base: URL
    /// Where settings are kept.
    let ownStore: any CacheStore
    private let client: any HTTPClient
    private let retry: RetryPolicy
    private let now: @Sendable () -> Date
    private let draw: @Sendable (_ below: Int) -> Int

    /// Phrases of the server at `base`.
    ///
    /// - Parameters:
    ///   - store: keeps the operations.
    ///   - ownStore: keeps the last phrases and the settings. Nothing may expire or evict its entries.
    ///   - random: picks a number from 0 to below its argument.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore, ownStore: any CacheStore,
        retry: RetryPolicy = .never,
        now: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable (_ below: Int) -> Int = { Int.random(in: 0..<$0) }
    ) {
        let request = HTTPRequest.foaasOperations(base)
        operations = Resource(
            remote: RemoteLoader(request, client: client, retry: retry, map: FoaasMapper.operations),
            cache: Cache(key: "foaas:\(request.url.absoluteString)", in: store, now: now))
        seen = SeenPhrases(ownStore, now: now)
        self.base = base
        self.client = client
        self.ownStore = ownStore
        self.retry = retry
        self.now = now
        draw = random
    }

    /// The phrase at an address. Phrases are not kept to stand in for others: without a connection there is none.
    public func foaas(at url: URL) async throws(LoadError) -> Foaas {
        try await RemoteLoader(.foaas(url), client: client, retry: retry, map: FoaasMapper.phrase).load()
    }

    /// Says what a path says, and remembers the phrase.
    ///
    /// - Throws: ``FoaasError/path(_:)`` when the path cannot be built; ``FoaasError/load(_:)``.
    public func say(_ builder: FoaasPathBuilder) async throws(FoaasError) -> Foaas {
        let url: URL
        do throws(FoaasPathError) { url = try builder.url(base: base) } catch { throw .path(error) }
        do throws(LoadError) {
            let phrase = try await foaas(at: url)
            await remember(phrase)
            return phrase
        } catch {
            throw .load(error)
        }
    }

    /// A phrase of an operation drawn at random, its fields filled with friendly words.
    public func anyPhrase() async throws(FoaasError) -> Foaas {
        let list: [FoaasOperation]
        do throws(LoadError) { list = try await knownOperations().operations } catch { throw .load(error) }
        guard !list.isEmpty else { throw .load(.invalidData(.body("the remote has no operations"))) }
        var builder = FoaasPathBuilder(list[draw(list.count)])
        for placeholder in builder.placeholders {
            do throws(FoaasPathError) {
                try builder.set(Self.words[placeholder.lowercased()] ?? "Aquifer", for: placeholder)
            } catch { throw .path(error) }
        }
        return try await say(builder)
    }

    /// What an operation says, to be filled in. Asks the remote once.
    public func template(of operation: FoaasOperation) async throws(FoaasError) -> FoaasTemplate {
        let url: URL
        do throws(FoaasPathError) { url = try FoaasTemplate.question(operation).url(base: base) } catch {
            throw .path(error)
        }
        do throws(LoadError) { return FoaasTemplate(try await foaas(at: url), of: operation) } catch {
            throw .load(error)
        }
    }

    /// Remembers a phrase that was shown.
    func remember(_ phrase: Foaas) async {
        // A phrase that could not be remembered was said all the same.
        try? await seen.keep(phrase)
    }

    /// Those saved, if they are fresh, else the latest: a phrase need not wait for the list.
    public func knownOperations() async throws(LoadError) -> FoaasOperations {
        // A copy that cannot be read is no hindrance while the remote can be asked.
        if let saved = try? await operations.saved() { return saved.value }
        return try await operations.load().value
    }

    /// What a random phrase is filled with.
    private static let words = [
        "from": "Your friends at Aquifer", "name": "everyone", "company": "the office", "tool": "a stapler",
        "do": "ship", "something": "the release", "reference": "the manual", "noun": "Mondays", "reaction": "a sigh",
        "behavior": "patience", "thing": "meetings", "language": "Swift",
    ]
}

/// Why nothing was said.
public enum FoaasError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path cannot be built; nothing was asked.
    case path(FoaasPathError)
    /// The phrase could not be had.
    case load(LoadError)

    /// One line for developers.
    public var description: String {
        switch self {
        case .path(let error): error.description
        case .load(let error): error.description
        }
    }

    /// What people are told. Empty when they left.
    public func message(in language: Language) -> String {
        switch self {
        case .path(.tooLong):
            language.pick("That is too long to be said. Say less.", "Isso é longo demais para ser dito. Diga menos.")
        case .path(.missing), .path(.unknown):
            language.pick("Something is still to be filled in.", "Ainda falta preencher alguma coisa.")
        case .load(.connectivity):
            language.pick(
                "You’re offline, and a phrase needs a connection.",
                "Você está sem conexão, e uma frase precisa dela.")
        case .load(let error): error.message(in: language)
        }
    }
}
