import Aquifer
import AquiferConcurrency
import AquiferImageFeed
import AquiferTesting
import Foundation
import Testing

/// A picture of 800 pixels with smaller forms of 200 and 400, each with a body that is its width.
@MainActor
@Suite("The forms of a picture", .timeLimit(.minutes(10)))
struct FeedPictureTests {
    private let server = Locked<ScriptedHTTPClient.Reply?>(nil)
    private let item: FeedItem
    private let world: FeedWorld

    init() throws {
        func address(_ width: Int) throws -> URL { try #require(URL(string: "http://pictures.example/\(width)")) }
        item = FeedItem(
            id: UUID(), description: nil, location: nil, image: try address(800),
            variants: [400, 200].compactMap { width in try? FeedItem.Variant(address(width), width: width) })
        world = FeedWorld(
            client: ScriptedHTTPClient { [server] request in
                server.withLock { $0 } ?? .answer(body: jpeg(request.url.lastPathComponent))
            })
    }

    private var asked: [String] { world.client.requests.map(\.url.lastPathComponent) }

    /// The form that a place of this width is given.
    private func form(_ width: Int) async throws(LoadError) -> String {
        String(
            decoding: try await world.service.pictures.picture(of: item, width: width).value.dropFirst(3), as: UTF8.self
        )
    }

    @Test("The smallest form with as many pixels as the place is loaded, and no other one")
    func fits() async throws {
        #expect(try await form(100) == "200")
        #expect(try await form(300) == "400")
        #expect(try await form(500) == "800")
        #expect(asked == ["200", "400", "800"])
    }

    @Test("A larger form that is saved is delivered without a request")
    func largerIsSaved() async throws {
        _ = try await world.service.pictures.data(for: item.image)
        #expect(try await form(200) == "800")
        #expect(asked == ["800"])
    }

    @Test("Without a connection the largest smaller form that is saved stands in, and says why")
    func standsIn() async throws {
        _ = try await form(200)
        _ = try await form(400)
        server.withLock { $0 = .offline }
        let loaded = try await world.service.pictures.picture(of: item)
        #expect(loaded.value == jpeg("400"))
        #expect(loaded.source == .cache(savedAt: world.date.now, because: .connectivity(TransportError(.offline))))
    }

    @Test("A form saved seven days ago does not stand in")
    func expires() async throws {
        _ = try await form(400)
        server.withLock { $0 = .offline }
        world.date.advance(by: Duration.days(7).timeInterval)
        await #expect(throws: LoadError.connectivity(TransportError(.offline))) {
            try await world.service.pictures.picture(of: item)
        }
    }

    @Test("A picture that the server denies is not shown in a smaller form", arguments: [401, 403, 404, 410])
    func denied(status: Int) async throws {
        _ = try await form(400)
        server.withLock { $0 = .answer(status: status) }
        await #expect(throws: LoadError.self) { try await world.service.pictures.picture(of: item) }
    }

    @Test("The screen of a picture loads the form for its place")
    func model() async {
        let model = PictureModel(item, from: world.service.pictures, width: 200)
        model.appear()
        await model.settled()
        #expect(model.phase == .loaded(jpeg("200")) && asked == ["200"])
    }
}

/// The beginning of a JPEG, and a name.
private func jpeg(_ name: String) -> Data { Data([0xFF, 0xD8, 0xFF]) + Data(name.utf8) }
