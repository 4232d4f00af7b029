import Aquifer
import AquiferFoundation
import AquiferWording

/// Phrases and operations, composed.
public struct FoaasService: Sendable {
    /// The entries that the feature saves.
    public static let entries = [
        operationLists, sentences, SeenPhrases.entries, FavoritePhrases.entries, FoaasSettings.entries,
    ]
    /// Those of the entries that the user has made, and nothing can load again.
    public static let irreplaceable = [FavoritePhrases.entries]
    private static let operationLists = EntryFamily("foaas:", codec: CacheCodec<FoaasOperations>.json)
    private static let sentences = EntryFamily("foaas:sentence:", codec: CacheCodec<Foaas>.json)

    /// The operations: the latest list, or the one saved less than seven days ago.
    public let operations: Resource<FoaasOperations>
    /// The last phrases seen.
    public let seen: SeenPhrases
    /// The operations that the user likes best.
    public let favorites: FavoritePhrases
    /// The server.
    public let base: URL
    /// The manager that keeps the operations for the next start of the app; `nil` if the saved copy of ``operations``
    /// does.
    public let manager: FoaasDataManager?

    /// The server of the specification, `http://www.foaas.com`.
    ///
    /// It is plain HTTP. On Apple's systems App Transport Security refuses that unless the app's `Info.plist` has an exception for
    /// the domain (`NSExceptionAllowsInsecureHTTPLoads`). A server of your own with https needs none.
    public static let server: URL = {
        var address = URLComponents()
        (address.scheme, address.host) = ("http", "www.foaas.com")
        // A scheme and a host are always an address.
        return address.url ?? URL(filePath: "/")
    }()

    /// The most bytes of an answer that are taken. The list of FOAAS has some 12 KB; JSON takes many times its size
    /// when it is read.
    private static let largestAnswer = 1 << 20

    /// The store of the settings.
    let ownStore: any CacheStore
    private let client: any HTTPClient
    private let retry: RetryPolicy
    private let now: @Sendable () -> Date
    private let draw: @Sendable (_ below: Int) -> Int
    /// The answers to the questions for templates, by the question's address. Each is asked for once in seven days.
    private let answers: ResourceFamily<URL, Foaas>

    /// Phrases of the server at `base`; of ``server`` unless told otherwise.
    ///
    /// - Parameters:
    ///   - base: the address of the server.
    ///   - client: carries out the requests.
    ///   - store: keeps the operations, and the templates of their phrases.
    ///   - ownStore: keeps the last phrases, the favorites and the settings. Nothing may expire or evict its entries.
    ///   - manager: keeps the operations, too, for the next start of the app. Give each server a manager of its own.
    ///   - retry: the policy by which a failed request is tried again.
    ///   - patience: the time after which a load delivers the saved copy while the server has not answered; `nil` waits.
    ///   - now: the clock for dates and ages.
    ///   - events: told what the engine does; `nil` if nobody listens.
    ///   - random: picks a number from 0 to below its argument.
    public init(
        base: URL = FoaasService.server, client: any HTTPClient, store: any CacheStore, ownStore: any CacheStore,
        manager: FoaasDataManager? = nil, retry: RetryPolicy = .never, patience: Duration? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, events: (any AquiferEvents)? = nil,
        random: @escaping @Sendable (_ below: Int) -> Int = { Int.random(in: 0..<$0) }
    ) {
        let request = HTTPRequest.foaasOperations(base)
        operations = Resource(
            remote: RemoteLoader(
                request, client: client, limit: Self.largestAnswer, retry: retry, map: FoaasMapper.operations),
            cache: Cache(
                key: Self.operationLists.key(request.url.absoluteString), in: store,
                policy: CachePolicy(patience: patience), now: now, events: events))
        answers = ResourceFamily { url in
            Resource(
                remote: RemoteLoader(
                    .foaas(url), client: client, limit: Self.largestAnswer, retry: retry, map: FoaasMapper.phrase),
                cache: Cache(
                    key: Self.sentences.key(url.absoluteString), in: store, policy: CachePolicy(askAfter: .days(7)),
                    now: now, events: events))
        }
        seen = SeenPhrases(ownStore, now: now)
        favorites = FavoritePhrases(ownStore, now: now)
        self.base = base
        self.manager = manager
        self.client = client
        self.ownStore = ownStore
        self.retry = retry
        self.now = now
        draw = random
    }

    /// The operations: the latest, which are then saved; offline those saved less than seven days ago. The ``manager``
    /// is handed the latest, too.
    public func loadOperations() async throws(LoadError) -> Loaded<FoaasOperations> {
        let loaded = try await operations.load()
        if loaded.source == .remote { manager?.save(operations: loaded.value.operations) }
        return loaded
    }

    /// The phrase at an address. No saved phrase stands in for it: it needs a connection.
    public func foaas(at url: URL) async throws(LoadError) -> Foaas {
        try await RemoteLoader(
            .foaas(url), client: client, limit: Self.largestAnswer, retry: retry, map: FoaasMapper.phrase
        ).load()
    }

    /// Asks the remote for the phrase of a path, and remembers it.
    ///
    /// - Throws: ``FoaasError/path(_:)`` when the path cannot be built; ``FoaasError/load(_:)``.
    public func say(_ builder: FoaasPathBuilder) async throws(FoaasError) -> Foaas {
        let url: URL
        do throws(FoaasPathError) { url = try builder.url(base: base) } catch { throw .path(error) }
        do throws(LoadError) {
            let phrase = try await foaas(at: url)
            await remember(phrase, of: builder.operation)
            return phrase
        } catch {
            throw .load(error)
        }
    }

    /// A phrase of an operation drawn at random, its fields filled with friendly words.
    public func anyPhrase() async throws(FoaasError) -> Foaas { try await drawPhrase().phrase }

    /// ``anyPhrase()`` with its operation.
    func drawPhrase() async throws(FoaasError) -> (phrase: Foaas, operation: FoaasOperation) {
        let list: [FoaasOperation]
        do throws(LoadError) { list = try await knownOperations().operations } catch { throw .load(error) }
        guard !list.isEmpty else { throw .load(.invalidData(.body("the remote has no operations"))) }
        var builder = FoaasPathBuilder(list[draw(list.count)])
        for placeholder in builder.placeholders {
            do throws(FoaasPathError) {
                try builder.set(Self.words[placeholder.lowercased()] ?? "Aquifer", for: placeholder)
            } catch { throw .path(error) }
        }
        return (try await say(builder), builder.operation)
    }

    /// The template of an operation's phrase, to be filled in. The remote is asked once in seven days: its answer is kept
    /// for so long, and needs no connection then. A favorite without its sentence keeps it for good, before this returns.
    public func template(of operation: FoaasOperation) async throws(FoaasError) -> FoaasTemplate {
        let url: URL
        do throws(FoaasPathError) { url = try FoaasTemplate.question(operation).url(base: base) } catch {
            throw .path(error)
        }
        do throws(LoadError) {
            let answer = try await answers[url].load().value
            // The copy above is kept for seven days, a favorite's for good. The template is there if that fails, too.
            try? await favorites.learn(answer, of: operation)
            return FoaasTemplate(answer, of: operation)
        } catch { throw .load(error) }
    }

    /// The template that was saved less than seven days ago, without asking the remote; `nil` if there is none that can
    /// be read.
    func savedTemplate(of operation: FoaasOperation) async -> FoaasTemplate? {
        // One that cannot be read, or whose question is too long to be sent, was not saved.
        guard let url = try? FoaasTemplate.question(operation).url(base: base),
            let saved = try? await answers[url].saved()
        else { return nil }
        return FoaasTemplate(saved.value, of: operation)
    }

    /// Remembers a phrase that was shown.
    func remember(_ phrase: Foaas, of operation: FoaasOperation) async {
        // A phrase that could not be remembered was said all the same.
        try? await seen.keep(phrase, of: operation)
    }

    /// The stored operations if they are fresh, else the latest: a phrase need not wait for the list.
    public func knownOperations() async throws(LoadError) -> FoaasOperations {
        guard let manager else { return try await savedOrLatest().value }
        return FoaasOperations(
            try await manager.storedOrRequested { () async throws(LoadError) in try await savedOrLatest() })
    }

    private func savedOrLatest() async throws(LoadError) -> Loaded<FoaasOperations> {
        // A copy that cannot be read does no harm: the remote is asked instead.
        if let saved = try? await operations.saved() { return saved }
        return try await loadOperations()
    }

    /// The values of the fields of a random phrase, by placeholder.
    private static let words = [
        "from": "Your friends at Aquifer", "name": "everyone", "company": "the office", "tool": "a stapler",
        "do": "ship", "something": "the release", "reference": "the manual", "noun": "Mondays", "reaction": "a sigh",
        "behavior": "patience", "thing": "meetings", "language": "Swift",
    ]
}

/// The reason why there is no phrase.
public enum FoaasError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path cannot be built; nothing was asked.
    case path(FoaasPathError)
    /// The phrase could not be loaded.
    case load(LoadError)

    /// One line for developers.
    public var description: String {
        switch self {
        case .path(let error): error.description
        case .load(let error): error.description
        }
    }

    /// The message for the user. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .path(.tooLong): language.text("foaas.tooLong")
        case .path(.missing), .path(.unknown): language.text("foaas.missing")
        case .load(.connectivity(let error)):
            language.text("foaas.needsConnection", ["trouble": error.message(in: language)])
        case .load(let error): error.message(in: language)
        }
    }
}
