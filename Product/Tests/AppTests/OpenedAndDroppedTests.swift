#if os(Linux)
    import Aquifer
    import AquiferCurl
    import AquiferTesting
    import CHeap
    import Foundation
    import Testing

    @testable import App

    /// Each runs in a process of its own, in which nothing else takes memory. An object that is kept takes some hundred
    /// bytes at least; these allow for 30 each.
    @Suite("What is opened ten thousand times and dropped leaves no memory behind", .timeLimit(.minutes(10)))
    struct OpenedAndDroppedTests {
        @Test("resources and their models, which load, save and fall back")
        func resources() async {
            await #expect(processExitsWith: .success) {
                try await expectNothingKept { number in
                    let client = ScriptedHTTPClient([.answer(body: Data("[1]".utf8))])
                    let url = try #require(URL(string: "http://resource.example/\(number)"))
                    let loader = RemoteLoader<[Int]>(HTTPRequest(.get, url), client: client) { _, _ in [1] }
                    let resource = Resource(remote: loader, cache: Cache<[Int]>(key: "\(number)", in: MemoryStore()))
                    let model = await ResourceModel(resource)
                    await model.refresh()
                    await model.refresh()
                    guard case .cache = await model.source else { throw CancellationError() }
                }
            }
        }

        @Test("outboxes, which send one item and keep another")
        func outboxes() async {
            await #expect(processExitsWith: .success) {
                try await expectNothingKept { number in
                    let client = ScriptedHTTPClient([.answer(status: 201)])
                    // Swift keeps a cancelled `Task.sleep` until its time, and with it a task: 800 bytes, here for 10 s.
                    let policy = SendPolicy(clock: ManualClock())
                    let outbox = Outbox(in: MemoryStore(), client: client, policy: policy)
                    let url = try #require(URL(string: "http://outbox.example/\(number)"))
                    for group in ["a", "b"] {
                        _ = try await outbox.enqueue(
                            HTTPRequest(.post, url, body: .bytes(Data("1".utf8))), group: group)
                    }
                    _ = try await outbox.drain()
                    let left = try await outbox.items().count
                    try #require(left == 1)
                }
            }
        }

        @Test("clients of libcurl, each with a request that nobody answers")
        func clients() async {
            await #expect(processExitsWith: .success) {
                let url = try #require(URL(string: "http://127.0.0.1:1/"))
                try await expectNothingKept { _ in
                    let client = CurlHTTPClient()
                    do {
                        _ = try await client.send(HTTPRequest(.get, url))
                        Issue.record("somebody answers")
                    } catch let error as TransportError { try #require(error.kind == .cannotConnect) }
                }
            }
        }

        @Test("screens of each kind, in a tab each, which somebody watches")
        func screens() async {
            await #expect(processExitsWith: .success) {
                let world = await AppWorld()
                // The hub keeps up to 500, for a reload.
                try await expectNothingKept(afterFirst: 1_000) { number in
                    try await watch(in: world, tab: number)
                }
                await world.services.stop()
            }
        }
    }

    @MainActor
    private func watch(in world: AppWorld, tab: Int) async throws {
        let kind = Screens.all[tab % Screens.all.count]
        let subjects = [
            "image": UUID().uuidString, "contact": "1", "operation": "version", "account": "none",
        ]
        let subject = kind.subject.map { subjects[$0] ?? "" } ?? ""
        let address = ScreenAddress(name: kind.name, tab: "\(tab)", subject: subject)
        let session = try #require(world.site.hub.session(at: address), "\(kind.name)")
        var states = session.states { _ in "" }.makeAsyncIterator()
        _ = await states.next(isolation: MainActor.shared)
    }

    /// Opens and drops something 10 000 times. Then the process must use the memory that it used before. Under the address
    /// sanitizer, which finds each leak by itself, 300 times are enough.
    private func expectNothingKept(
        afterFirst warmUp: Int = 200, _ open: (_ number: Int) async throws -> Void
    ) async throws {
        forget_thrown_errors()
        for number in 0..<warmUp { try await open(number) }
        let before = bytes_in_use()
        for number in warmUp..<(warmUp + (before == 0 ? 300 : 10_000)) { try await open(number) }
        // What was dropped last may still be ending.
        let deadline = ContinuousClock.now + .seconds(30)
        let isOver = await eventually { bytes_in_use() < before + 300_000 || ContinuousClock.now > deadline }
        try #require(isOver)
        let after = bytes_in_use()
        #expect(after < before + 300_000, "\(before) bytes were in use, and \(after) are")
    }
#endif
