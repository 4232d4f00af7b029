import Aquifer
import Foundation
import HTTPServer
import ImageFeed

/// The screens for pages. It sends states as server-sent events, and receives intents.
struct ScreenAPI: Sendable {
    let hub: ScreenHub
    let services: Services
    let addresses: SignedAddresses

    func add(to router: inout Router) {
        router.on("GET", "/api/screens/:screen/events") { request, parameters in
            await events(request, parameters["screen"])
        }
        router.on("POST", "/api/screens/:screen/intents") { request, parameters in
            await intent(request, parameters["screen"])
        }
        router.on("GET", "/api/screens/feed/images/:id") { request, parameters in
            await picture(request, from: services.feed.pictures) { tab in
                await parameters["id"].flatMap(UUID.init).asyncFlatMap { await hub.picture($0, tab: tab) }
            }
        }
        router.on("GET", "/api/screens/contacts/images/:id") { request, parameters in
            await picture(request, from: services.payments.pictures) { tab in
                await parameters["id"].flatMap { Int($0) }.asyncFlatMap { await hub.avatar($0, tab: tab) }
            }
        }
        router.on("POST", "/api/addresses") { request, _ in await sign(request) }
        let saved = SavedFeed(services: services)
        router.on("GET", "/api/feed") { _, _ in await feed() }
        router.on("GET", "/api/feed/saved") { _, _ in await saved.answer() }
    }

    private func events(_ request: ServerRequest, _ screen: String?) async -> ServerResponse {
        guard let address = address(request, screen) else { return unknownScreen }
        let language = Language(tag: request.queryValue("lang") ?? "en")
        let now = services.configuration.now
        let sign = addresses.sign
        // The state is sent again before the addresses in the last one expire, even if nothing changes.
        let states = await hub.session(address).states(renewedEvery: SignedAddresses.step) { screen in
            screen.state(ScreenContext(language: language, now: now(), sign: sign)).text
        }
        return ServerSentEvents.response { send in
            for await state in states { try await send(event: "state", data: state) }
        }
    }

    private func intent(_ request: ServerRequest, _ screen: String?) async -> ServerResponse {
        guard let address = address(request, screen) else { return unknownScreen }
        // The answer to every invalid body is the same: it describes the valid one.
        guard let body = try? await request.body.collect(upTo: 32 << 10),
            let intent = try? JSONDecoder().decode(Intent.self, from: body)
        else { return .problem(400, "intent", "send {\"intent\": …}") }
        let isKnown = await hub.session(address).start(intent)
        return isKnown ? .empty() : .problem(400, "intent", "this screen knows no such intent")
    }

    /// Signs an address again that expired while its page was hidden. Request and answer are `{"address": …}`.
    private func sign(_ request: ServerRequest) async -> ServerResponse {
        // The answer to every invalid body is the same: it describes the valid one.
        guard let body = try? await request.body.collect(upTo: 32 << 10),
            let address = try? JSONDecoder().decode([String: String].self, from: body)["address"]
        else { return .problem(400, "address", "send {\"address\": …}") }
        return .json(.object([("address", .string(addresses.sign(address)))]))
    }

    /// A picture. If the browser disconnects, the task of the request is cancelled, and the transfer with it.
    private func picture(
        _ request: ServerRequest, from pictures: DataLoader, address: (_ tab: String) async -> URL?
    ) async -> ServerResponse {
        guard let tab = request.queryValue("tab"), let url = await address(tab) else {
            return .problem(404, "notFound", "this tab shows no such picture")
        }
        do throws(LoadError) {
            let loaded = try await pictures.data(for: url)
            return ServerResponse(body: .bytes(loaded.value))
                .relayed(PictureCheck.mediaType(of: loaded.value), as: .picture)
        } catch {
            return .failure(error, language: Language(tag: request.queryValue("lang") ?? "en"))
        }
    }

    private func feed() async -> ServerResponse {
        do throws(LoadError) {
            let loaded = try await services.feed.feed.load()
            return .json(Data(LoadReport.json(loaded) { $0.json }.utf8))
        } catch {
            return .failure(error, language: .english)
        }
    }

    private func address(_ request: ServerRequest, _ screen: String?) -> ScreenHub.Address? {
        guard let tab = request.queryValue("tab").flatMap(Self.tab) else { return nil }
        switch screen {
        case "feed": return .init(tab: tab, kind: .feed)
        case "comments":
            return request.queryValue("image").flatMap(UUID.init).map { .init(tab: tab, kind: .comments(image: $0)) }
        case "contacts": return .init(tab: tab, kind: .contacts)
        case "payment":
            return request.queryValue("contact").flatMap { Int($0) }.map {
                .init(tab: tab, kind: .payment(contact: $0))
            }
        case "cards": return .init(tab: tab, kind: .cards)
        case "card-form": return .init(tab: tab, kind: .cardForm)
        case "payments": return .init(tab: tab, kind: .payments)
        case "foaas": return .init(tab: tab, kind: .foaas)
        case "foaas-operations": return .init(tab: tab, kind: .foaasOperations)
        case "foaas-preview":
            return request.queryValue("operation").map { .init(tab: tab, kind: .foaasPreview(operation: $0)) }
        case "foaas-settings": return .init(tab: tab, kind: .foaasSettings)
        case "audio": return .init(tab: tab, kind: .audio)
        case "audio-compose": return .init(tab: tab, kind: .audioCompose)
        case "outbox": return .init(tab: tab, kind: .outbox)
        case "drive": return .init(tab: tab, kind: .drive)
        case "drive-create": return .init(tab: tab, kind: .driveCreate)
        case "drive-account":
            return request.queryValue("account").map { .init(tab: tab, kind: .driveAccount(account: $0)) }
        default: return nil
        }
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
        let (status, kind) =
            switch error {
            case .connectivity: (504, "connectivity")
            case .invalidData: (502, "invalidData")
            case .store: (500, "store")
            case .cancelled: (499, "cancelled")
            }
        return .problem(status, kind, error.message(in: language))
    }
}
