import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("Load from remote", .timeLimit(.minutes(10)))
struct RemoteLoaderTests {
    @Test("Primary course: downloads from the URL, validates, creates and delivers the value, with one request")
    func primaryCourse() async throws {
        let world = World(.texts(["a", "b"]))
        #expect(try await world.remote().load() == ["a", "b"])
        #expect(world.client.requests.map(\.url) == [world.url])
    }

    @Test("Making a loader asks for nothing")
    func lazy() {
        let world = World(.texts([]))
        _ = world.remote()
        #expect(world.client.requests.isEmpty)
    }

    @Test(
        "Invalid data course: delivers the invalid data error",
        arguments: [
            .answer(status: 404), .answer(status: 500), .answer(status: 199, body: Data("[]".utf8)),
            .answer(status: 201, body: Data("[]".utf8)), .answer(body: Data()), .answer(body: Data("{}".utf8)),
            .answer(body: Data("<html>".utf8)), .answer(body: Data([0x22, 0xFF, 0xFE, 0x22])),
            .answer(status: 304), .failure(TransportError(.tooManyRedirects)),
            .failure(TransportError(.headersTooLarge)), .failure(TransportError(.malformed)),
            .failure(TransportError(.unsupportedURL)),
        ] as [ScriptedHTTPClient.Reply])
    func invalidData(reply: ScriptedHTTPClient.Reply) async {
        let world = World(reply)
        let error = await failure { () async throws(LoadError) in try await world.remote().load() }
        guard case .invalidData = error else {
            Issue.record("delivered \(String(describing: error))")
            return
        }
    }

    @Test(
        "No connectivity course: delivers the connectivity error",
        arguments: [.offline, .cannotResolve, .cannotConnect, .timedOut, .interrupted, .insecure]
            as [TransportError.Kind])
    func connectivity(kind: TransportError.Kind) async {
        let world = World(.failure(TransportError(kind)))
        let error = await failure { () async throws(LoadError) in try await world.remote().load() }
        #expect(error == .connectivity(TransportError(kind)))
    }

    @Test("A server that drips a byte now and then is given five minutes, or what the request allows")
    func drip() async throws {
        let world = World(.texts([]), .texts([]), .texts([]))
        let slow = HTTPRequest(.get, world.url, limits: .init(total: .seconds(600)))
        let upload = HTTPRequest(.post, world.url)
        for request in [HTTPRequest(.get, world.url), slow, upload] {
            let loader = RemoteLoader(request, client: world.client) { _, _ in 0 }
            _ = try await loader.load()
        }
        #expect(world.client.requests.map(\.limits.total) == [.minutes(5), .seconds(600), nil])
    }

    @Test("A body that is cut short is a lack of connectivity, not invalid data")
    func cutShort() async {
        let world = World(.stream(chunks: [Data("[\"a\"".utf8)], error: TransportError(.interrupted)))
        let error = await failure { () async throws(LoadError) in try await world.remote().load() }
        #expect(error == .connectivity(TransportError(.interrupted)))
    }

    @Test("A body larger than the limit is refused as soon as its head announces it, and its transfer ended")
    func announcedTooLarge() async {
        let world = World(client: ScriptedHTTPClient())
        let loading = Task { await failure { () async throws(LoadError) in try await world.remote(limit: 10).load() } }
        let exchange = await world.client.exchange(0)
        exchange.start(headers: ["Content-Length": "2147483648"])
        #expect(await loading.value == .invalidData(.unusable(.bodyTooLarge(limit: 10))))
        #expect(await loading.value?.description.contains("10 bytes") == true)
        await exchange.waitForCancellation()
    }

    @Test("A body that turns out larger than the limit is refused on the way, and its transfer ended")
    func streamedTooLarge() async {
        let world = World(client: ScriptedHTTPClient())
        let loading = Task { await failure { () async throws(LoadError) in try await world.remote(limit: 10).load() } }
        let exchange = await world.client.exchange(0)
        exchange.start()
        exchange.send(Data(count: 8))
        exchange.send(Data(count: 8))
        #expect(await loading.value == .invalidData(.unusable(.bodyTooLarge(limit: 10))))
        #expect(await loading.value?.description.contains("10 bytes") == true)
        await exchange.waitForCancellation()
    }

    @Test("A body of exactly the limit is taken")
    func atLimit() async throws {
        let world = World(.answer(body: Data("[\"abcde\"]".utf8)))
        #expect(try await world.remote(limit: 9).load() == ["abcde"])
    }

    @Test("A cancelled task cancels the transfer and delivers nothing", arguments: [false, true])
    func cancelled(headArrived: Bool) async {
        let world = World(client: ScriptedHTTPClient())
        let loading = Task { await failure { () async throws(LoadError) in try await world.remote().load() } }
        let exchange = await world.client.exchange(0)
        if headArrived { exchange.start() }
        loading.cancel()
        await exchange.waitForCancellation()
        #expect(await loading.value == .cancelled)
    }

    @Test("Validators are sent, and a 304 to them says that nothing changed")
    func notModified() async throws {
        let world = World(.answer(status: 304))
        let answer = try await world.remote().load(unless: Validators(etag: "\"1\"", lastModified: "yesterday"))
        guard case .notModified = answer else { throw ContractViolation("304", "\(answer)") }
        #expect(world.client.requests[0].headers["If-None-Match"] == "\"1\"")
        #expect(world.client.requests[0].headers["If-Modified-Since"] == "yesterday")
    }

    @Test(
        "A 304 about another version than the saved one confirms nothing: the value is asked for again, whole",
        arguments: [
            ("\"1\"", "\"2\"", false), ("\"1\"", "W/\"2\"", false), ("\"1\"", "\"1-gzip", false),
            ("\"1\"", "\"1\"", true),
            ("W/\"1\"", "\"1\"", true), ("\"1\"", "W/\"1\"", true), ("\"1-gzip\"", "\"1\"", true), (nil, "\"2\"", true),
        ] as [(String?, String, Bool)])
    func otherVersion(sent: String?, confirmed: String, isOurs: Bool) async throws {
        let world = World(
            .answer(status: 304, headers: ["ETag": confirmed]), .texts(["second"], headers: ["ETag": "\"2\""]))
        try await world.save(["first"], validators: Validators(etag: sent, lastModified: "yesterday"))
        #expect(try await world.resource().load().value == [isOurs ? "first" : "second"])
        #expect(world.client.requests.dropFirst().map(\.headers) == (isOurs ? [] : [[:]]))
    }

    @Test("A 304 about another version, and one more without having been asked, are an error")
    func otherVersionTwice() async {
        let world = World(.answer(status: 304, headers: ["ETag": "\"2\""]), .answer(status: 304))
        let error = await failure { () async throws(LoadError) in
            try await world.remote().load(unless: Validators(etag: "\"1\""))
        }
        #expect(error == .invalidData(.status(304)))
    }

    @Test("A read by POST takes no validators along: for it they are conditions of a change, and refused with 412")
    func readByPost() async throws {
        let world = World(.texts(["a"]), .answer(status: 304))
        let request = HTTPRequest(.post, world.url, body: .bytes(Data("{query}".utf8)))
        let loader = RemoteLoader(request, client: world.client, map: JSONMapper<[String]>().map)
        let validators = Validators(etag: "\"1\"", lastModified: "yesterday")
        guard case .value(["a"], _, _) = try await loader.load(unless: validators) else {
            Issue.record("no value came")
            return
        }
        #expect(world.client.requests[0].headers == [:])
        let error = await failure { () async throws(LoadError) in try await loader.load(unless: validators) }
        #expect(error == .invalidData(.status(304)))
    }

    @Test("The answer's validators come with its value")
    func validators() async throws {
        let world = World(.texts(["a"], headers: ["etag": "\"2\"", "last-modified": "today"]))
        let answer = try await world.remote().load(unless: .none)
        guard case .value(let value, let validators, _) = answer else {
            Issue.record("is \(answer)")
            return
        }
        #expect(value == ["a"])
        #expect(validators == Validators(etag: "\"2\"", lastModified: "today"))
    }

    static let unfit = [
        "\"a\rb\"", "\"a\nX-B: 1\"", "\"a\u{0}\"", "\"\u{1b}[2J\"", "\"é\"", " ", "",
        "\"" + String(repeating: "a", count: 1100),
    ]

    @Test("A validator that cannot be sent back is not kept", arguments: unfit)
    func keepsNoUnfitValidator(_ value: String) async throws {
        let world = World(.texts(["a"], headers: ["ETag": value, "Last-Modified": "then"]))
        #expect(try await validators(of: world) == Validators(lastModified: "then"))
        let date = World(.texts(["a"], headers: ["ETag": "\"1\"", "Last-Modified": value]))
        #expect(try await validators(of: date) == Validators(etag: "\"1\""))
    }

    /// The validators of a world's latest value; `nil` if its answer has no value.
    private func validators(of world: World) async throws -> Validators? {
        guard case .value(_, let validators, _) = try await world.remote().load(unless: .none) else { return nil }
        return validators
    }

    @Test("A validator that cannot be sent back, which an app has saved, is not sent", arguments: unfit)
    func sendsNoUnfitValidator(_ value: String) async throws {
        let world = World(.texts(["new"]))
        try await world.save(["old"], validators: Validators(etag: value, lastModified: value))
        #expect(try await world.resource().load().value == ["new"])
        #expect(world.client.requests[0].headers == [:])
        #expect(try await world.saved()?.entry.validators.isEmpty == true)
    }

    @Test("A tag with a space in it is none: a client may have put the space in place of a line break")
    func keepsNoTagWithASpace() async throws {
        let world = World(.texts(["a"], headers: ["ETag": "\"a b\"", "Last-Modified": "then and there"]))
        #expect(try await validators(of: world) == Validators(lastModified: "then and there"))
    }

    @Test(
        "neither keeps nor sends an ETag that is no entity tag",
        arguments: [
            ("*", false), ("W/*", false), ("\"a\",\"b\"", false), ("a,b", false), ("\"a", false), ("\"a\"", true),
            ("W/\"a,b\"", true), ("a", true),
        ])
    func entityTags(tag: String, isKept: Bool) async throws {
        let world = World(.texts([], headers: ["ETag": tag]))
        guard case .value(_, let validators, _) = try await world.remote().load(unless: Validators(etag: tag)) else {
            Issue.record("no value came")
            return
        }
        #expect(validators.etag == (isKept ? tag : nil))
        #expect(world.client.requests[0].headers["If-None-Match"] == (isKept ? tag : nil))
    }

    @Test("A 304 to a request without validators is no answer, also when a kept one could not be sent")
    func notModifiedUnasked() async throws {
        let world = World(.answer(status: 304))
        let validators = Validators(etag: "\"a\rb\"")
        let error = await failure { () async throws(LoadError) in try await world.remote().load(unless: validators) }
        #expect(error == .invalidData(.status(304)))
    }

    @Test("A body that its client was given compressed is refused unread")
    func compressed() async throws {
        let world = World(client: ScriptedHTTPClient())
        let loading = Task { await failure { () async throws(LoadError) in try await world.remote().load() } }
        let exchange = await world.client.exchange(0)
        exchange.start(headers: ["Content-Encoding": "gzip"])
        #expect(await loading.value == .invalidData(.body("it came compressed, which was not asked for")))
        await exchange.waitForCancellation()
    }

    @Test(
        "A body whose field names no coding is loaded",
        arguments: ["", "identity, identity", "aws-chunked", "UTF-8", "none"])
    func notCompressed(coding: String) async throws {
        #expect(try await World(.texts(["a"], headers: ["Content-Encoding": coding])).remote().load() == ["a"])
    }

    @Test(
        "A Last-Modified in the second of the answer is not asked with: a change later in that second would go unseen",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", false), ("Sun, 06 Nov 1994 08:49:36 GMT", true),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false), (nil, true), ("now", true),
        ] as [(String?, Bool)])
    func weakDate(modified: String?, kept: Bool) async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        // There is nothing to judge by without one of the two dates.
        let headers: HTTPHeaders = modified.map { ["Date": date, "Last-Modified": $0] } ?? ["Last-Modified": date]
        let world = World(.texts(["a"], headers: headers))
        let answer = try await world.remote().load(unless: .none)
        guard case .value(_, let validators, _) = answer else {
            Issue.record("is \(answer)")
            return
        }
        #expect((validators.lastModified != nil) == kept)
    }

    @Test("An error of a mapper tells the place of the mistake and nothing of the body")
    func errorsKeepSecrets() async {
        let world = World(.answer(body: Data(#"["ok", {"card":"4111111111111111"}]"#.utf8)))
        let error = await failure { () async throws(LoadError) in try await world.remote().load() }
        #expect(error == .invalidData(.body("[1] is not a string")))
    }

    // MARK: Trying again

    private func policy(_ clock: ManualClock, attempts: Int = 3) -> RetryPolicy {
        RetryPolicy(attempts: attempts, base: .seconds(1), cap: .seconds(60), clock: clock, random: { 1 })
    }

    @Test("A read that fails in passing is tried again after each wait, until it succeeds")
    func triesAgain() async throws {
        let clock = ManualClock()
        let world = World(.refused, .answer(status: 503), .texts(["a"]))
        let loading = Task { try await world.remote(retry: policy(clock)).load() }
        await clock.waitForSleepers(1)
        #expect(clock.sleepers == [.seconds(1)])
        clock.advance(by: .seconds(1))
        await world.client.waitForRequests(2)
        await clock.waitForSleepers(1)
        #expect(clock.sleepers == [.seconds(2)])
        clock.advance(by: .seconds(2))
        #expect(try await loading.value == ["a"])
        #expect(world.client.requests.count == 3)
    }

    @Test("When every attempt failed the last failure is delivered")
    func givesUp() async throws {
        let clock = ManualClock()
        let world = World(.refused, .answer(status: 503))
        let loading = Task {
            await failure { () async throws(LoadError) in
                try await world.remote(retry: policy(clock, attempts: 2)).load()
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await loading.value == .invalidData(.status(503)))
    }

    @Test("A body that was cut short is fetched again, whole")
    func cutIsTriedAgain() async throws {
        let clock = ManualClock()
        let world = World(
            .stream(chunks: [Data("[\"x".utf8)], error: TransportError(.interrupted)), .texts(["a"]))
        let loading = Task { try await world.remote(retry: policy(clock)).load() }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await loading.value == ["a"])
    }

    @Test("Retry-After is waited for")
    func retryAfter() async throws {
        let clock = ManualClock()
        let world = World(.answer(status: 429, headers: ["Retry-After": "9"]), .texts(["a"]))
        let loading = Task { try await world.remote(retry: policy(clock)).load() }
        await clock.waitForSleepers(1)
        #expect(clock.sleepers == [.seconds(9)])
        clock.advance(by: .seconds(9))
        #expect(try await loading.value == ["a"])
    }

    @Test("Data that is not what the contract says is never asked for again")
    func invalidDataIsFinal() async {
        let world = World(.answer(body: Data("{".utf8)), .texts(["a"]))
        let error = await failure { () async throws(LoadError) in
            try await world.remote(retry: policy(ManualClock())).load()
        }
        #expect(error?.reason == .invalidData)
        #expect(world.client.requests.count == 1)
    }

    @Test("A task cancelled while it waits tries no more")
    func cancelledWhileWaiting() async {
        let clock = ManualClock()
        let world = World(.refused, .texts(["a"]))
        let loading = Task {
            await failure { () async throws(LoadError) in try await world.remote(retry: policy(clock)).load() }
        }
        await clock.waitForSleepers(1)
        loading.cancel()
        #expect(await loading.value == .cancelled)
        #expect(world.client.requests.count == 1)
    }
}
