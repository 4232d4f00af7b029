import Aquifer
import AquiferConcurrency
import AquiferPostgres
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

@MainActor
@Suite("Numbers for whoever runs the service", .timeLimit(.minutes(10)))
struct MetricsTests {
    @Test("The text is OpenMetrics: types before samples, cumulative buckets, escaped labels, an end")
    func text() {
        var text = OpenMetricsText()
        text.family("a", .counter, "Counts\nthings.")
        text.sample(3, [("b", "\"x\\\n")])
        var histogram = Histogram()
        for seconds in [0.0005, 0.02, 99, -1] { histogram.add(seconds) }
        text.family("c", .histogram, "Times.")
        text.sample(histogram)
        let lines = text.finished().split(separator: "\n").map(String.init)
        #expect(lines[0...2] == ["# TYPE a counter", "# HELP a Counts\\nthings.", #"a_total{b="\"x\\\n"} 3"#])
        #expect(lines.contains("c_bucket{le=\"0.001\"} 2") && lines.contains("c_bucket{le=\"0.025\"} 3"))
        #expect(lines.contains("c_bucket{le=\"30.0\"} 3") && lines.contains("c_bucket{le=\"+Inf\"} 4"))
        #expect(lines.contains("c_count 4") && lines.last == "# EOF")
    }

    @Test("The metrics need the token, on the server's own address")
    func token() async {
        let world = AppWorld(token: "secret")
        #expect(await world.request("GET", "/metrics").status == 401)
        let header = ["Authorization": "Bearer secret"]
        let answer = await world.request("GET", "/metrics", "", header)
        #expect(answer.status == 200)
        #expect(
            answer.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        let foreign = header.merging(["Host": "evil.example"]) { $1 }
        #expect(await world.request("GET", "/metrics", "", foreign).status == 403)
        #expect(await world.request("POST", "/metrics", "", header).status == 405)
        await world.services.stop()
    }

    @Test("Loads are counted by where they came from, and why")
    func loads() async throws {
        let world = AppWorld()
        #expect(await world.request("GET", "/api/feed").status == 200)
        world.services.reference.set(.offline, of: .feed)
        #expect(await world.request("GET", "/api/feed").status == 200)
        let text = await world.operations.metrics().finished()
        #expect(text.contains(#"aquifer_loads_total{class="feed",source="remote",reason="none"} 1"#))
        #expect(text.contains(#"aquifer_loads_total{class="feed",source="saved",reason="offline"} 1"#))
        #expect(text.contains(#"aquifer_remote_troubles_total{class="feed",reason="offline"} 1"#))
        #expect(text.contains(#"aquifer_http_requests_total{route="feed",method="GET",status="200"} 2"#))
        #expect(text.contains(#"aquifer_store_seconds_count{store="values",call="update"}"#))
        await world.services.stop()
    }

    @Test("The queue is counted by state, with the age of the oldest item that is to be sent")
    func outbox() async throws {
        let world = AppWorld()
        var request = HTTPRequest(.post, try #require(URL(string: "http://127.0.0.1:9/")))
        request.body = .bytes(Data("x".utf8))
        let item = try await world.services.outbox.enqueue(request, group: "audio:clips", label: "Marcia's")
        world.date.advance(by: 90)
        var text = await world.operations.metrics().finished()
        #expect(text.contains(#"aquifer_outbox_items{state="waiting"} 1"#))
        #expect(text.contains("aquifer_outbox_oldest_seconds 90.0"))
        #expect(text.contains(#"aquifer_outbox_queued_total{class="audio"} 1"#))
        try await world.services.outbox.pause(item.id)
        text = await world.operations.metrics().finished()
        #expect(text.contains(#"aquifer_outbox_items{state="paused"} 1"#))
        #expect(text.contains("aquifer_outbox_oldest_seconds 0"))
        await world.services.stop()
    }

    @Test("With several users the queues of all of them are counted as one, and no user is named")
    func users() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        let operations = Operations(world.services, watch: RequestWatch(log: .off), rooms: world.house.rooms)
        #expect(await operations.metrics().finished().contains("aquifer_outbox_users 0"))
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        #expect(await world.leavePost("bruno", title: "Rain") == 204)
        #expect(await world.leavePost("bruno", title: "Wind", tab: "another") == 204)
        world.date.advance(by: 90)
        #expect(
            await eventually {
                await operations.metrics().finished().contains(#"aquifer_outbox_items{state="waiting"} 3"#)
            })
        let text = await operations.metrics().finished()
        #expect(text.contains("aquifer_outbox_users 2"))
        #expect(text.contains("aquifer_outbox_oldest_seconds 90.0"))
        #expect(!text.contains("ana\"") && !text.contains("bruno"))
        await world.end()
    }

    @Test("Many who ask for a count that hangs wait no longer than they must, and share it")
    func hangingCount() async {
        let looks = Locked(0)
        let census = OutboxCensus(patience: .zero) {
            looks.withLock { $0 += 1 }
            // It ends with the test's process.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            return []
        }
        for _ in 0..<5 { #expect(await census.counts() == nil) }
        #expect(looks.withLock(\.self) <= 1)
    }

    @Test("A request whose head could not be read is counted and logged")
    func unread() async throws {
        let lines = Locked<[String]>([])
        let log = ServiceLog(.json, now: { Date(timeIntervalSince1970: 0) }) { line in
            lines.withLock { $0.append(line) }
        }
        let watch = RequestWatch(log: log)
        #expect(watch.refused(nil, .text("no", status: 431)).headers["X-Request-Id"] != nil)
        var text = OpenMetricsText()
        watch.metrics.write(to: &text)
        #expect(
            text.finished().contains(#"aquifer_http_requests_total{route="unread",method="other",status="431"} 1"#))
        await log.end()
        #expect(lines.withLock { $0.count } == 1 && lines.withLock { $0[0] }.contains(#""status":431"#))
    }

    @Test("The pools and the memory of shared stores are told, each under the name of its store")
    func pools() {
        var text = OpenMetricsText()
        var pool = PoolUse()
        (pool.limit, pool.busy, pool.idle, pool.waiting) = (2, 1, 0, 7)
        StoreUse.write(
            [
                StoreUse(kind: .outbox, pool: pool),
                StoreUse(kind: .values, pool: PoolUse(), memoryBytes: 300, memoryEvictions: 4),
            ], to: &text)
        let lines = Set(text.finished().split(separator: "\n").map(String.init))
        #expect(
            lines.isSuperset(of: [
                #"aquifer_pool_connections{store="outbox",state="busy"} 1"#, #"aquifer_pool_limit{store="outbox"} 2"#,
                #"aquifer_pool_waiting{store="outbox"} 7"#, #"aquifer_memory_bytes{store="values"} 300"#,
                #"aquifer_memory_evictions_total{store="values"} 4"#,
            ]))
        #expect(!text.finished().contains(#"aquifer_memory_bytes{store="outbox"}"#))
    }

    @Test("A store that fails is counted by the kind of its error, and its queue is not told as empty")
    func failingStore() async {
        let world = AppWorld { $0.data = URL(filePath: "/dev/null/aquifer") }
        _ = await world.request("GET", "/api/feed")
        let text = await world.operations.metrics().finished()
        #expect(text.contains(#"aquifer_store_errors_total{store="values",call="retrieve",kind="notAStore"}"#))
        #expect(!text.contains("aquifer_outbox_items"))
        #expect(text.contains("aquifer_ready 0"))
        await world.services.stop()
    }

    @Test("No label has a name, a key, an address or a tab, whatever is asked for, and the labels are bounded")
    func labels() async throws {
        let world = AppWorld(token: "secret-token")
        let metrics = world.services.groundwork.engineMetrics
        for number in 0..<300 {
            let name = "marcia\(number)"
            metrics.note(.asked(KeyClass(of: "\(name):1")))
            metrics.note(.answered(KeyClass(of: "\(name)/1"), milliseconds: 1, bytes: 1, trouble: .denied))
            metrics.note(.refused(KeyClass(of: "\(name):1"), milliseconds: 1, status: 10_000 + number))
            metrics.note(.stoodIn(KeyClass(of: "\(name):1"), age: .zero, trouble: nil))
            for path in ["/\(name)", "/api/\(name)", "/api/screens/\(name)/events?tab=\(name)", "/assets/\(name).js"] {
                _ = await world.request(number.isMultiple(of: 2) ? "GET" : "MARCIA\(number)", path)
            }
        }
        let text = await world.operations.metrics().finished()
        #expect(!text.lowercased().contains("marcia") && !text.contains("secret-token") && !text.contains("10299"))
        #expect(text.split(separator: "\n").count < 500)
        #expect(text.contains(#"aquifer_loads_total{class="other",source="saved",reason="store"} 300"#))
        #expect(text.contains(#"method="other""#))
        await world.services.stop()
    }

    @Test(
        "Each address has a class, which has nothing of the address",
        arguments: [
            ("/", "page"), ("/feed/033DBEF9", "page"), ("/assets/js/main.js", "asset"),
            ("/api/screens/feed/events", "events"), ("/api/screens/feed/intents", "intents"),
            ("/api/screens/feed/images/1", "picture"), ("/api/screens/audio/clips/1", "sound"),
            ("/api/screens/drive-account/files/a%2Fb", "file"), ("/api/feed/saved", "feed"),
            ("/api/inspector/entries", "api"), ("//api//screens/feed//events/", "events"),
            ("/api/screens/drive-account/file/a/b/c", "file"), ("/api/screens/feed", "api"), ("/healthz", "health"),
            ("/readyz", "health"), ("/metrics", "metrics"),
        ])
    func routes(path: String, name: String) {
        #expect(RouteClass(ServerRequest("GET", path)).rawValue == name)
    }

    @Test("An open stream of events is a gauge, which goes down when its page leaves")
    func streams() async throws {
        let world = AppWorld()
        let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
        let answer = await world.request("GET", "/api/screens/feed/events?tab=t")
        guard case .stream(_, let produce) = answer.body else {
            Issue.record("no stream")
            return
        }
        let reading = Task {
            try await produce(ServerResponseWriter { _ throws(ServerStreamError) in begun.yield() })
        }
        for await _ in beginning { break }
        #expect(await world.operations.metrics().finished().contains(#"aquifer_http_open_streams{route="events"} 1"#))
        reading.cancel()
        _ = await reading.result
        #expect(await world.operations.metrics().finished().contains(#"aquifer_http_open_streams{route="events"} 0"#))
        await world.services.stop()
    }
}
