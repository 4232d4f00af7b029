import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferFoaas

@Suite("Operations and phrases", .timeLimit(.minutes(10)))
struct FoaasServiceTests {
    @Test("Operations are asked for as JSON, delivered and saved")
    func operations() async throws {
        let world = FoaasWorld(.operations())
        let loaded = try await world.service.operations.load()
        #expect(loaded.source == .remote && loaded.value == FoaasOperations([FoaasWorld.awesome, FoaasWorld.gift]))
        #expect(world.paths == ["/operations"])
        #expect(world.client.requests[0].headers["Accept"] == "application/json")
        #expect(try await world.service.operations.saved()?.value == loaded.value)
    }

    @Test("Offline the saved operations are delivered for seven days, and not a second longer")
    func offline() async throws {
        let world = FoaasWorld(.operations())
        _ = try await world.service.operations.load()
        world.date.advance(by: Duration.days(7).timeInterval - 1)
        let loaded = try await world.service.operations.load()
        #expect(loaded.source != .remote && loaded.value.operations.count == 2)
        world.date.advance(by: 1)
        let error = await failure { () async throws(LoadError) in try await world.service.operations.load() }
        #expect(error?.reason == .connectivity)
    }

    @Test("One unreadable operation among a hundred: the others are kept, and it is counted")
    func skipped() async throws {
        let good = (1...99).map {
            #"{"name":"N\#($0)","url":"/n\#($0)/:from","fields":[{"name":"From","field":"from"}]}"#
        }
        let bad = #"{"name":"Bad","url":7,"fields":[]}"#
        let world = FoaasWorld(.json("[\((good.prefix(50) + [bad] + good.suffix(49)).joined(separator: ","))]"))
        let list = try await world.service.operations.load().value
        #expect(list.operations.count == 99 && list.skipped == 1)
        #expect(try await world.service.operations.saved()?.value.skipped == 1)
    }

    @Test("One field without a name costs no operation")
    func nameless() async throws {
        let world = FoaasWorld(.json(#"[{"name":"A","url":"/a/:from","fields":[{"from":"From","field":"from"}]}]"#))
        #expect(try await world.service.operations.load().value.skipped == 0)
    }

    @Test(
        "What is no list is invalid data",
        arguments: [
            .html, .json("{}"), .json(#"{"message":"no","subtitle":"no"}"#, status: 622), .json(""), .json("[1,2]"),
            .json("[]", status: 204), .json(#"[{"name":"A"}]"#),
        ] as [ScriptedHTTPClient.Reply])
    func invalidList(reply: ScriptedHTTPClient.Reply) async {
        let world = FoaasWorld(reply)
        let error = await failure { () async throws(LoadError) in try await world.service.operations.load() }
        #expect(error?.reason == .invalidData)
    }

    @Test("HTML instead of JSON is named as such, and 622 as a status")
    func named() async {
        let html = await failure { () async throws(LoadError) in try await FoaasWorld(.html).service.operations.load() }
        #expect(html == .invalidData(.mediaType("text/html; charset=utf-8")))
        let world = FoaasWorld(.json(#"{"message":"a","subtitle":"b"}"#, status: 622))
        let status = await failure { () async throws(LoadError) in try await world.service.foaas(at: world.base) }
        #expect(status == .invalidData(.status(622)))
    }

    @Test("A phrase is what the remote says to the path, every character of which arrives")
    func say() async throws {
        let world = FoaasWorld(.phrase())
        var builder = FoaasPathBuilder(FoaasWorld.awesome)
        try builder.set("a/b c?d#e%f", for: "from")
        #expect(try await world.service.say(builder) == Foaas(message: "This is damn awesome.", subtitle: "- louis"))
        #expect(world.paths == ["/awesome/a%2Fb%20c%3Fd%23e%25f"])
    }

    @Test("What is not filled in is not asked for")
    func incomplete() async {
        let world = FoaasWorld(.phrase())
        let error = await failure { () async throws(FoaasError) in
            try await world.service.say(FoaasPathBuilder(FoaasWorld.awesome))
        }
        #expect(error == .path(.missing(["from"])) && world.paths.isEmpty)
    }

    @Test("A random phrase is of an operation drawn, filled in; the saved list is enough to draw from")
    func random() async throws {
        let world = FoaasWorld(.operations(), .phrase("One", "-"), .phrase("Two", "-"))
        #expect(try await world.service.anyPhrase().message == "One")
        #expect(try await world.service.anyPhrase().message == "Two")
        #expect(world.paths.first == "/operations" && world.paths.count == 3)
        #expect(world.paths[1].hasPrefix("/gift/everyone/meetings/") && world.paths[2] == world.paths[1])
    }

    @Test("Without a connection there is no phrase, and the error says that it needs one")
    func phraseOffline() async throws {
        let world = FoaasWorld(.operations())
        _ = try await world.service.operations.load()
        let error = await failure { () async throws(FoaasError) in try await world.service.anyPhrase() }
        guard case .load(.connectivity)? = error else {
            _ = Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.message(in: .english).contains("needs a connection") == true)
        #expect(error?.message(in: .brazilianPortuguese).contains("é preciso ter conexão") == true)
    }

    @Test("The last phrases seen are kept, newest first, each once, at most fifty")
    func seen() async throws {
        let world = FoaasWorld(client: ScriptedHTTPClient { .phrase($0.url.lastPathComponent, "-") })
        for name in (1...60).map(String.init) + ["30"] {
            var builder = FoaasPathBuilder(FoaasWorld.awesome)
            try builder.set(name, for: "from")
            world.date.advance(by: 1)
            _ = try await world.service.say(builder)
        }
        let seen = try await world.service.seen.all()
        #expect(seen.count == 50 && seen.prefix(3).map(\.phrase.message) == ["30", "60", "59"])
        #expect(seen[0].seenAt == world.date.now)
    }

    @Test("Phrases that cannot be read make room for the next one")
    func unreadableSeen() async throws {
        let world = FoaasWorld(.phrase())
        try await world.own.insert(StoredEntry(bytes: Data("x".utf8), savedAt: world.date.now), for: "foaas:seen")
        _ = try await world.service.say(FoaasPathBuilder(FoaasWorld.version))
        #expect(try await world.service.seen.all().count == 1)
    }

    @Test("A phrase that cannot be remembered is said all the same")
    func unremembered() async throws {
        let world = FoaasWorld(.phrase())
        world.own.fail(.update, with: .full(path: "/d"))
        #expect(try await world.service.say(FoaasPathBuilder(FoaasWorld.version)).message == "This is damn awesome.")
    }

    @Test("The template is asked for once, with marks, and filled here, in one pass")
    func template() async throws {
        let world = FoaasWorld(
            client: ScriptedHTTPClient { request in
                let parts = request.url.pathComponents.suffix(3)
                return .phrase("\(parts.first!), take \(Array(parts)[1])!", "- \(parts.last!)")
            })
        let template = try await world.service.template(of: FoaasWorld.gift)
        let values = ["name": "zqx1xqz", "thing": "a $1 \\\\ 😀"]
        let phrase = template.phrase({ values[$0] }, name: { $0.uppercased() })
        #expect(phrase == Foaas(message: "zqx1xqz, take a $1 \\\\ 😀!", subtitle: "- [FROM]"))
        #expect(world.paths.count == 1)
    }

    @Test("A mark is filled, too, where a combining mark follows it in the answer")
    func combiningMark() async throws {
        let world = FoaasWorld(
            client: ScriptedHTTPClient { .phrase("\(Array($0.url.pathComponents.suffix(3))[0])\u{301}!", "") })
        let template = try await world.service.template(of: FoaasWorld.gift)
        #expect(template.phrase({ _ in "Bo" }, name: { $0 }).message == "Bo\u{301}!")
    }
}
