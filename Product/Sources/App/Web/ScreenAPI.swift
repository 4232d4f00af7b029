import Aquifer
import AquiferImageFeed
import AquiferWording
import Foundation
import HTTPServer

/// The screens for pages. It sends states as server-sent events, and receives intents.
struct ScreenAPI: Sendable {
    let hub: ScreenHub
    let services: Services
    /// The signed addresses of whoever sends a request.
    let addresses: @Sendable (ServerRequest) -> SignedAddresses

    func add(to router: inout Router) {
        router.on("GET", "/api/screens/:screen/events") { request, parameters in
            await events(request, parameters["screen"])
        }
        router.on("POST", "/api/screens/:screen/intents") { request, parameters in
            await intent(request, parameters["screen"])
        }
        router.on("GET", "/api/screens/feed/images/:id") { request, parameters in
            await picture(request) { tab in
                await parameters["id"].flatMap(UUID.init).asyncFlatMap { await hub.feedItem($0, tab: tab) }
            } load: { item throws(LoadError) in
                // Who saves the picture wants it whole, and nothing in its place.
                if request.queryValue("exact") == "1" {
                    return try await services.feed.pictures.data(for: item.image)
                }
                let width = request.queryValue("width").flatMap { Int($0) } ?? .max
                return try await services.feed.pictures.picture(of: item, width: width)
            }
        }
        router.on("GET", "/api/screens/contacts/images/:id") { request, parameters in
            await picture(request, mayLack: true) { tab in
                await parameters["id"].flatMap { Int($0) }.asyncFlatMap { await hub.avatar($0, tab: tab) }
            } load: { address throws(LoadError) in
                try await services.payments.pictures.data(for: address)
            }
        }
        router.on("POST", "/api/addresses") { request, _ in await sign(request) }
        let saved = SavedFeed(services: services)
        router.on("GET", "/api/feed") { _, _ in await feed() }
        router.on("GET", "/api/feed/saved") { _, _ in await saved.answer() }
    }

    private func events(_ request: ServerRequest, _ screen: String?) async -> ServerResponse {
        guard let address = await address(request, screen), let session = await hub.session(at: address) else {
            return unknownScreen
        }
        await session.prepare(isBack: true)
        let language = Language.best(for: request.queryValue("lang") ?? "en")
        let now = services.configuration.now
        let sign = addresses(request).sign
        // The state is sent again before the addresses in the last one expire, even if nothing changes.
        await hub.watchPayments()
        let states = await session.states(renewedEvery: SignedAddresses.step) { [hub] screen in
            let context = ScreenContext(language: language, now: now(), sign: sign)
            return ShownState(state: screen.text(context), news: hub.news(context))
        }
        if let look = request.headers["Aquifer-Appear"] {
            do throws(IntentError) {
                try await session.start(.appear(isPageLoad: look == "load"))
            } catch {
                return .problem(400, "intent", "\(error)")
            }
        }
        let answer = ServerSentEvents.response { send in
            var before: (state: String, news: String)?
            for await shown in states {
                let isNews = shown.news != before?.news
                if isNews { try await send(event: "news", data: shown.news) }
                let state = shown.state()
                // The news alone may have changed.
                let isOld = isNews && state == before?.state
                before = (state, shown.news)
                if isOld { continue }
                try await send(event: "state", data: state)
            }
        }
        return Gzip.streamed(answer, for: request)
    }

    private func intent(_ request: ServerRequest, _ screen: String?) async -> ServerResponse {
        guard let address = await address(request, screen) else { return unknownScreen }
        // The answer to every invalid body is the same: it describes the valid one.
        guard let body = try? await request.body.collect(upTo: 32 << 10),
            let message = try? JSONDecoder().decode(IntentMessage.self, from: body)
        else { return .problem(400, "intent", "send {\"intent\": …}") }
        guard let session = await hub.session(at: address) else { return unknownScreen }
        await session.prepare()
        // Whoever gave up waiting may do the same elsewhere.
        guard !Task.isCancelled else { return .drop }
        do throws(IntentError) {
            try await session.start(message)
            return .empty()
        } catch {
            return .problem(400, "intent", "\(error)")
        }
    }

    /// Signs an address again that expired while its page was hidden. Request and answer are `{"address": …}`.
    private func sign(_ request: ServerRequest) async -> ServerResponse {
        // The answer to every invalid body is the same: it describes the valid one.
        guard let body = try? await request.body.collect(upTo: 32 << 10),
            let address = try? JSONDecoder().decode([String: String].self, from: body)["address"]
        else { return .problem(400, "address", "send {\"address\": …}") }
        return .json(["address": addresses(request).sign(address)])
    }

    /// A picture. If the browser disconnects, the task of the request is cancelled, and the transfer with it.
    ///
    /// - Parameters:
    ///   - mayLack: True if it is no failure that there is no picture: the answer is then 204.
    ///   - shown: Finds the thing in the tab that has the picture; `nil` if it shows no such thing.
    ///   - load: Loads its picture.
    private func picture<Shown>(
        _ request: ServerRequest, mayLack: Bool = false, of shown: (_ tab: String) async -> Shown?,
        load: (Shown) async throws(LoadError) -> Loaded<Data>
    ) async -> ServerResponse {
        guard let tab = request.queryValue("tab"), let shown = await shown(tab) else {
            return .problem(404, "notFound", "this tab shows no such picture")
        }
        do throws(LoadError) {
            let loaded = try await load(shown)
            var response = ServerResponse(body: .bytes(loaded.value))
                .relayed(PictureCheck.mediaType(of: loaded.value), as: .picture)
            // A page then asks again for the form that it wants. What is saved of that form itself is no stand-in.
            if case .cache(_, because: .some) = loaded.source { response.headers["Aquifer-Picture"] = "stand-in" }
            return response
        } catch {
            if mayLack, error.trouble == .missing { return .empty() }
            return .failure(error, language: .best(for: request.queryValue("lang") ?? "en"))
        }
    }

    private func feed() async -> ServerResponse {
        do throws(LoadError) {
            var loaded = try await services.feed.feed.load()
            loaded.saveError = loaded.saveError?.forPages
            return .json(WireJSON.data(ResultDocument(loaded) { $0.map(FeedItemDocument.init) }))
        } catch {
            return .failure(error, language: .english)
        }
    }

    /// The address of the screen that a request names; `nil` if there is none of that name, or no tab.
    @MainActor
    private func address(_ request: ServerRequest, _ screen: String?) async -> ScreenAddress? {
        guard let name = screen, let kind = Screens.named(name),
            let tab = request.queryValue("tab").flatMap(Self.tab)
        else { return nil }
        let subject = kind.subject.flatMap(request.queryValue) ?? ""
        if kind == DriveAccountScreen.self, await !services.mayShow(subject, hub.drive.service) { return nil }
        return ScreenAddress(name: name, tab: tab, subject: subject)
    }

    /// A tab's name as pages make them; `nil` for anything else.
    static func tab(_ name: String) -> String? {
        let isGood =
            (1...64).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return isGood ? name : nil
    }

    private var unknownScreen: ServerResponse {
        .problem(404, "notFound", "there is no such screen; name one, its tab, and what it shows")
    }
}

extension Optional {
    fileprivate func asyncFlatMap<Value>(_ transform: (Wrapped) async -> Value?) async -> Value? {
        guard let self else { return nil }
        return await transform(self)
    }
}

extension ServerResponse {
    /// A load that delivered nothing, as an answer.
    static func failure(_ error: LoadError, language: Language) -> ServerResponse {
        let status: Int
        switch error {
        case .connectivity: status = 504
        case .invalidData: status = 502
        case .store(let failure, _): return .failure(of: failure, error.message(in: language))
        case .cancelled: status = 499
        }
        return .problem(status, error.kind, error.message(in: language))
    }
}
