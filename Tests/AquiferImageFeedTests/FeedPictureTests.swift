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
    /// The answers for single forms, by their widths.
    private let broken = Locked<[String: ScriptedHTTPClient.Reply]>([:])
    private let item: FeedItem
    private let world: FeedWorld

    init() throws {
        func address(_ width: Int) throws -> URL { try #require(URL(string: "http://pictures.example/\(width)")) }
        item = FeedItem(
            id: UUID(), description: nil, location: nil, image: try address(800),
            variants: [400, 200].compactMap { width in try? FeedItem.Variant(address(width), width: width) })
        world = FeedWorld(
            client: ScriptedHTTPClient { [server, broken] request in
                let name = request.url.lastPathComponent
                return broken.withLock { $0[name] } ?? server.withLock { $0 } ?? .answer(body: jpeg(name))
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

    @Test(
        "A form that the server answers with no picture gives way to the next larger one, at last to the picture itself",
        arguments: [
            ScriptedHTTPClient.Reply.answer(status: 404), .answer(status: 403), .answer(status: 500),
            .answer(body: Data("<html>".utf8)),
        ])
    func brokenForm(answer: ScriptedHTTPClient.Reply) async throws {
        broken.withLock { $0 = ["200": answer] }
        #expect(try await form(100) == "400")
        #expect(asked == ["200", "400"])
    }

    @Test("A picture all of whose smaller forms are broken is loaded itself")
    func brokenForms() async throws {
        broken.withLock { $0 = ["200": .answer(status: 404), "400": .answer(status: 410)] }
        #expect(try await form(100) == "800")
        #expect(asked == ["200", "400", "800"])
    }

    @Test("A picture that is denied stays denied, though its smaller form is broken and another one is saved")
    func brokenAndDenied() async throws {
        _ = try await form(200)
        broken.withLock { $0 = ["400": .answer(status: 404), "800": .answer(status: 403)] }
        await #expect(throws: LoadError.invalidData(.status(403))) {
            try await world.service.pictures.picture(of: item, width: 300)
        }
    }

    @Test("Without an answer no other form is asked for, and a saved one stands in after a broken one")
    func brokenAndOffline() async throws {
        _ = try await form(200)
        broken.withLock { $0 = ["400": .answer(status: 500), "800": .offline] }
        #expect(try await form(300) == "200")
        #expect(asked == ["200", "400", "800"])
        broken.withLock { $0 = ["400": .offline] }
        #expect(try await form(300) == "200")
        #expect(asked.last == "400" && asked.count == 4)
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
