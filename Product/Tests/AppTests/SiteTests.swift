import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@testable import App

@MainActor
@Suite("The pages and their API", .timeLimit(.minutes(10)))
struct SiteTests {
    @Test(
        "Every answer carries the protections, pages and API alike",
        arguments: ["/", "/inspector", "/assets/js/main.js", "/api/connection", "/api/none"])
    func protections(path: String) async {
        let response = await AppWorld().request("GET", path)
        let policy = response.headers["Content-Security-Policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
        #expect(!policy.contains("unsafe"))
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    }

    @Test("Every address of a screen is the one page; its files lie under /assets")
    func pages() async throws {
        let world = AppWorld()
        for path in ["/", "/feed/033DBEF9-71F2-56CF-B108-8303FC336188", "/inspector"] {
            let response = await world.request("GET", path)
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        }
        #expect(await world.request("GET", "/assets/none.js").status == 404)
        #expect(await world.request("GET", "/assets/../Info.plist").status == 404)
        #expect(await world.request("GET", "/favicon.ico").headers["Content-Type"] == "image/svg+xml")
    }

    @Test(
        "A page gets the texts of one language, and not again while they are the same",
        arguments: [("pt-BR", "pt-BR", "Feed"), ("pt", "pt-BR", "Feed"), ("en", "en", "Feed"), ("de", "en", "Feed")])
    func words(asked: String, tag: String, feed: String) async throws {
        let world = AppWorld()
        let response = await world.request("GET", "/assets/words/\(asked).json")
        #expect(response.status == 200 && response.headers["Content-Language"] == tag)
        let texts = try JSONDecoder().decode([String: Language.Text].self, from: try await response.collectBody())
        #expect(texts == Language.best(for: tag).texts)
        #expect(texts["nav.feed"] == .plain(feed))
        let etag = try #require(response.headers["ETag"])
        let again = await world.request("GET", "/assets/words/\(asked).json", "", ["If-None-Match": etag])
        #expect(again.status == 304)
        #expect(await world.request("POST", "/assets/words/en.json").status == 405)
    }

    @Test("Without the token the API is closed, and the page is told so")
    func token() async {
        let world = AppWorld(token: "secret")
        #expect(await world.request("GET", "/api/connection").status == 401)
        #expect(await world.request("GET", "/api/connection", "", ["Authorization": "Bearer secret"]).status == 200)
        #expect(await world.request("GET", "/").status == 200)
    }

    @Test(
        "No answer sets a cookie, whatever is asked for", arguments: ["/", "/?token=secret", "/api/feed?token=secret"])
    func noCookie(target: String) async {
        let response = await AppWorld(token: "secret").request("GET", target)
        #expect(response.headers["Set-Cookie"] == nil && response.status != 303)
    }

    @Test("The feed as JSON is the latest, then the saved copy with its reason, then an error")
    func feed() async throws {
        let world = AppWorld()
        #expect(try await world.json("GET", "/api/feed")["source"] as? String == "remote")
        world.services.reference.set(.offline, of: .feed)
        let saved = try await world.json("GET", "/api/feed")
        #expect(saved["source"] as? String == "cache" && saved["because"] as? String == "connectivity")
        #expect((saved["value"] as? [[String: Any]])?.count == 10)
        world.date.advance(by: Duration.days(7).timeInterval)
        let response = await world.request("GET", "/api/feed")
        #expect(response.status == 504)
        await world.services.stop()
    }

    @Test("The saved feed is answered without the remote, anew for each copy, and never when it has expired")
    func savedFeed() async throws {
        let world = AppWorld()
        #expect(await world.request("GET", "/api/feed/saved").status == 404)
        _ = try await world.services.feed.feed.load()
        let first = try await world.json("GET", "/api/feed/saved")
        #expect(first["source"] as? String == "cache" && first["because"] is NSNull)
        #expect(try await world.json("GET", "/api/feed/saved")["savedAt"] as? String == first["savedAt"] as? String)
        world.date.advance(by: 60)
        _ = try await world.services.feed.feed.load()
        #expect(try await world.json("GET", "/api/feed/saved")["savedAt"] as? String != first["savedAt"] as? String)
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(await world.request("GET", "/api/feed/saved").status == 404)
        await world.services.stop()
    }

    @Test("A picture comes with its media type; a failing one with a status and words")
    func pictures() async throws {
        let world = AppWorld()
        let pictures = try await world.load()
        let response = await world.request("GET", pictures[0])
        #expect(response.status == 200 && response.headers["Content-Type"] == "image/jpeg")
        for (fault, status) in [(Fault.offline, 504), (.failing, 502), (.garbage, 502), (.cut, 504)] {
            world.services.reference.set(fault, of: .feed)
            let refused = await world.request("GET", pictures[1])
            #expect(refused.status == status, "\(fault)")
            let body = String(decoding: try await refused.collectBody(), as: UTF8.self)
            #expect(body.contains("\"message\":\""))
        }
        #expect(await world.request("GET", pictures[0]).status == 200)
        await world.services.stop()
    }

    @Test(
        "A tab can ask for the pictures it shows, and for nothing else",
        arguments: [
            "/api/screens/feed/images/033DBEF9-71F2-56CF-B108-8303FC336188?tab=other",
            "/api/screens/feed/images/00000000-0000-0000-0000-000000000000?tab=tab",
            "/api/screens/feed/images/x?tab=tab",
            "/api/screens/feed/images/033DBEF9-71F2-56CF-B108-8303FC336188",
        ])
    func noOpenProxy(target: String) async throws {
        let world = AppWorld()
        _ = try await world.load()
        #expect(await world.request("GET", target).status == 404)
        await world.services.stop()
    }

    @Test(
        "Who asks for what is not there is told what there is",
        arguments: [
            ("POST", "/api/screens/feed/intents?tab=t", "{}", 400),
            ("POST", "/api/screens/feed/intents?tab=t", "no", 400),
            ("POST", "/api/screens/feed/intents?tab=t", #"{"intent":"explode"}"#, 400),
            ("POST", "/api/screens/feed/intents", #"{"intent":"appear"}"#, 404),
            ("POST", "/api/screens/feed/intents?tab=a/b", #"{"intent":"appear"}"#, 404),
            ("POST", "/api/screens/comments/intents?tab=t", #"{"intent":"appear"}"#, 404),
            ("GET", "/api/screens/nothing/events?tab=t", "", 404), ("PUT", "/api/connection", #"{"mode":"odd"}"#, 400),
            ("DELETE", "/api/inspector/entries", "", 400), ("DELETE", "/api/inspector/entries?key=none", "", 404),
            ("GET", "/api/none", "", 404), ("DELETE", "/api/feed", "", 405),
        ])
    func refusals(method: String, target: String, body: String, status: Int) async {
        #expect(await AppWorld().request(method, target, body).status == status)
    }

    @Test("The connection switch drives the reference remotes, and is not there for real ones")
    func connection() async throws {
        let world = AppWorld()
        #expect(try await world.json("PUT", "/api/connection", #"{"mode":"offline"}"#)["mode"] as? String == "offline")
        #expect(try await world.json("GET", "/api/connection")["available"] as? Bool == true)
        #expect(await world.request("GET", "/api/feed").status == 504)
        _ = try await world.json("PUT", "/api/connection", #"{"mode":"online"}"#)
        #expect(await world.request("GET", "/api/feed").status == 200)
        await world.services.stop()

        let real = AppWorld { configuration in
            for remote in ReferenceRemote.allCases {
                configuration.remotes[remote] = URL(string: "http://127.0.0.1:9/")
            }
        }
        #expect(try await real.json("GET", "/api/connection")["available"] as? Bool == false)
    }

    @Test("A server without a simulator offers none, takes no other mode, and still says how its remotes answer")
    func withoutSimulator() async throws {
        let world = AppWorld { configuration in
            configuration.offersSimulator = false
            configuration.faults[.feed] = .offline
        }
        let state = try await world.json("GET", "/api/connection")
        #expect(state["available"] as? Bool == false && (state["modes"] as? [String])?.isEmpty == true)
        #expect(state["mode"] as? String == "offline")
        let refused = await world.request("PUT", "/api/connection", #"{"mode":"online"}"#)
        #expect(refused.status == 403)
        #expect(String(decoding: try await refused.collectBody(), as: UTF8.self).contains("--no-simulator"))
        #expect(try await world.json("GET", "/api/connection")["mode"] as? String == "offline")
        await world.services.stop()
    }

    @Test("With servers elsewhere the mode is that of this machine's network, and pages hear each change of it")
    func machineNetwork() async throws {
        let real = AppWorld { configuration in
            for remote in ReferenceRemote.allCases {
                configuration.remotes[remote] = URL(string: "http://127.0.0.1:9/")
            }
        }
        func mode() async throws -> String? { try await real.json("GET", "/api/connection")["mode"] as? String }
        #expect(try await mode() == "unknown")
        let monitor = ManualConnectionMonitor(.connected)
        real.site.hub.follow(monitor)
        #expect(await eventually { real.site.hub.network.state == .connected })
        #expect(try await mode() == "online")
        monitor.state = .notConnected
        #expect(await eventually { real.site.hub.network.state == .notConnected })
        #expect(try await mode() == "offline")
        let context = ScreenContext(language: .english, now: Date())
        #expect(real.site.hub.news(context).contains(#""network":"notConnected""#))
        await real.services.stop()
    }

    @Test("The reference remotes' last requests are told, with what was sent of each")
    func transfers() async throws {
        let world = AppWorld()
        #expect(await world.request("GET", "/api/feed").status == 200)
        let remotes = try await world.json("GET", "/api/reference/transfers")
        let feed = try #require(remotes["feed"] as? [String: Any])
        let request = try #require((feed["requests"] as? [[String: Any]])?.first)
        #expect(request["method"] as? String == "GET" && request["path"] as? String == "/feed/v1/feed")
        #expect(request["range"] is NSNull && request["status"] as? Int == 200)
        #expect((request["bytes"] as? Int ?? 0) > 100 && feed["completed"] as? Int == 1)
        let audio = try #require(remotes["audio"] as? [String: Any])
        #expect((audio["requests"] as? [Any])?.isEmpty == true && (audio["bytes"] as? [String: Any])?.isEmpty == true)
        await world.services.stop()
    }

    @Test("The inspector lists what is saved, validates and deletes it")
    func inspector() async throws {
        let world = AppWorld()
        let pictures = try await world.load()
        _ = await world.request("GET", pictures[0])
        _ = await world.request("GET", pictures[0])
        func entries() async throws -> [[String: Any]] {
            try await world.json("GET", "/api/inspector")["entries"] as? [[String: Any]] ?? []
        }
        #expect(try await entries().map { $0["kind"] as? String } == ["value", "data"])
        #expect(try await entries().last?["hits"] as? Int == 1)
        #expect(try await entries().allSatisfy { $0["validity"] as? String == "fresh" })
        world.date.advance(by: Duration.days(7).timeInterval)
        _ = try await world.services.feed.feed.load()
        #expect(try await entries().map { $0["validity"] as? String } == ["fresh", "expired"])
        #expect((try await world.json("POST", "/api/inspector/validate")["removed"] as? [String])?.count == 1)
        let key = try #require(try await entries().first?["key"] as? String)
        let query = try #require(key.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(await world.request("DELETE", "/api/inspector/entries?key=\(query)").status == 204)
        #expect(try await entries().isEmpty)
        await world.services.stop()
    }

    @Test("A folder that cannot hold a store shows the latest all the same, and says that it is not saved")
    func noStore() async throws {
        let world = AppWorld { $0.data = URL(filePath: "/dev/null/aquifer") }
        let report = try await world.json("GET", "/api/feed")
        #expect(report["source"] as? String == "remote" && report["savedAt"] is NSNull)
        #expect(report["saveError"] is String)
        world.services.reference.set(.offline, of: .feed)
        #expect(await world.request("GET", "/api/feed").status == 500)
        let failures = try await world.json("GET", "/api/inspector")["failures"] as? [[String: Any]] ?? []
        let names = failures.map { $0["store"] as? String }
        #expect(names.prefix(3) == ["values.sqlite", "pictures.sqlite", "foaas.sqlite"])
        // A page is not told where the server keeps its data.
        #expect(failures.allSatisfy { ($0["reason"] as? String)?.contains("/dev/null") == false })
        await world.services.stop()
    }
}
