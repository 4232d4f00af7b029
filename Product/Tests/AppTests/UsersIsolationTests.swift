import Aquifer
import AquiferTesting
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@testable import App

/// One user fills everything with marked data; another asks for everything that there is.
@MainActor
@Suite("No user is told anything of another", .timeLimit(.minutes(10)))
struct UsersIsolationTests {
    /// Only Ana may see these: words that she has typed, and what was made for her.
    private struct Marks {
        var texts = [
            "MarkaRain", "MARKA HOLDER", "MarkaAda", "marka-holiday", "marka-file.txt", "MarkaSound", "7.771,77",
        ]
        var account = ""
        var signed: [String] = []
    }

    private func amountIn(_ text: String) -> Bool { text.contains("7.771,77") || text.contains("7,771.77") }

    private func found(_ marks: Marks, in text: String) -> [String] {
        (marks.texts + [marks.account]).filter { mark in mark == "7.771,77" ? amountIn(text) : text.contains(mark) }
    }

    @Test("by any route, screen, tab, address or step, however the other one asks", arguments: [false, true])
    func everyRoute(isShared: Bool) async throws {
        let world = try await UsersWorld(stores: isShared ? MemoryStores() : nil) { $0.faults = [.audio: .offline] }
        var marks = Marks()
        let before = try await fill(world, &marks)
        // The test looks at the right things only if Ana herself is told all of them.
        let own = try await walk(world, as: "ana", marks)
        for mark in marks.texts + [marks.account] {
            #expect(found(marks, in: own + before).contains(mark), "Ana herself is not told \(mark)")
        }
        let foreign = try await walk(world, as: "bruno", marks)
        #expect(found(marks, in: foreign) == [], "Bruno is told what is Ana's")
        #expect(foreign.contains("bruno"), "Bruno is told something")
        try await presentSigned(world, marks)
        #expect(try world.house.access.users().count == 2)
        await world.end()
    }

    @Test("at another replica either, which shows Ana what is hers")
    func replicas() async throws {
        let stores = MemoryStores()
        let world = try await UsersWorld(stores: stores) { $0.faults = [.audio: .offline] }
        let other = try await UsersWorld(stores: stores, besides: world) { $0.faults = [.audio: .offline] }
        var marks = Marks()
        _ = try await fill(world, &marks)
        let own = try await walk(other, as: "ana", marks)
        // A phrase that was seen is offered without a connection only.
        for mark in marks.texts + [marks.account] where mark != "MarkaAda" && mark != "marka-file.txt" {
            #expect(found(marks, in: own).contains(mark), "Ana herself is not told \(mark)")
        }
        #expect(try await found(marks, in: walk(other, as: "bruno", marks)) == [], "Bruno is told what is Ana's")
        await other.end()
        await world.end()
    }

    @Test("every route has a walk, so that a new one cannot be forgotten")
    func coverage() async throws {
        let world = try await UsersWorld()
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        let patterns = Set(room.site.router.patterns.map { "\($0.method.rawValue) \($0.pattern)" })
        #expect(patterns == Set(targets(Marks()).keys))
        #expect(patterns.count > 15)
        await world.end()
    }

    // MARK: Ana fills everything

    private func fill(_ world: UsersWorld, _ marks: inout Marks) async throws -> String {
        var streams = [await world.listen("ana", "/api/screens/inspector/events?tab=tab")]
        func show(_ screen: String, _ query: String = "", until words: String) async throws -> OpenStream {
            let stream = await world.listen("ana", "/api/screens/\(screen)/events?tab=tab\(query)")
            await world.tell("ana", "\(screen)?tab=tab\(query)", "appear")
            streams.append(stream)
            try #require(await eventually { stream.text.contains(words) }, "\(screen): \(stream.text.suffix(600))")
            return stream
        }
        // A recording that waits, and one that is only chosen.
        #expect(await world.leavePost("ana", title: "MarkaRain", sound: "MarkaSound") == 204)
        _ = try await show("outbox", until: "MarkaRain")
        #expect(
            await world.ask("ana", "POST", "\(AudioAPI.filePath)?tab=tab&name=x.mp3", "ID3MarkaSound").status == 204)
        let audio = try await show("audio", until: "MarkaRain")
        // A card, and a payment.
        for (field, value) in [("number", "4539578763621486"), ("holder", "MARKA HOLDER"), ("expiry", "1228")] {
            await world.tell("ana", "card-form?tab=tab", "edit", ["field": field, "value": value])
        }
        await world.tell("ana", "card-form?tab=tab", "save")
        _ = try await show("cards", until: "MARKA HOLDER")
        let payment = try await show("payment", "&contact=1001", until: #""phase":"ready""#)
        await world.tell("ana", "payment?tab=tab&contact=1001", "amount", ["digits": "777177", "edit": "1"])
        await world.tell("ana", "payment?tab=tab&contact=1001", "code", ["value": "123"])
        await world.tell("ana", "payment?tab=tab&contact=1001", "pay", ["digits": "777177"])
        try #require(await eventually { payment.text.contains(#""ended":1"#) }, "\(payment.text.suffix(900))")
        let payments = try await show("payments", until: "1486")
        try #require(amountIn(payments.text), "\(payments.text.suffix(900))")
        // A phrase.
        let preview = try await show("foaas-preview", "&operation=coffee%2F%3Afrom", until: #""phase":"ready""#)
        await world.tell(
            "ana", "foaas-preview?tab=tab&operation=coffee%2F%3Afrom", "edit", ["field": "from", "value": "MarkaAda"])
        try #require(await eventually { preview.text.contains("- MarkaAda") })
        await world.tell("ana", "foaas-preview?tab=tab&operation=coffee%2F%3Afrom", "finish")
        _ = try await show("foaas", until: "MarkaAda")
        await world.tell("ana", "foaas-settings?tab=tab", "palette", ["name": "moss"])
        // A storage account with a file.
        let create = try await show("drive-create", until: #""isPriceKnown":true"#)
        await world.tell("ana", "drive-create?tab=tab", "name", ["text": "marka-holiday"])
        await world.tell("ana", "drive-create?tab=tab", "size", ["text": "10MB"])
        try #require(await eventually { create.text.contains(#""shades":""#) }, "\(create.text.suffix(900))")
        let cost = try #require(create.text.matches(of: #/"shades":"(\d+)"/#).last?.1)
        await world.tell("ana", "drive-create?tab=tab", "create", ["size": "10MB", "cost": String(cost)])
        try #require(await eventually { create.text.contains(#""phase":"created""#) }, "\(create.text.suffix(900))")
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        let list = try #require(try await room.site.hub.drive.service.accounts?.saved())
        marks.account = "\(try #require(list.value.accounts.first).address)"
        let account = try await show("drive-account", "&account=\(marks.account)", until: #""isOwner":true"#)
        let upload = "\(DriveAPI.filePath)?tab=tab&account=\(marks.account)&batch=1&name=marka-file.txt"
        #expect(await world.ask("ana", "POST", upload, "MarkaFile").status == 204)
        await world.tell(
            "ana", "drive-account?tab=tab&account=\(marks.account)", "upload", ["batch": "1", "replacing": ""])
        try #require(await eventually { account.text.contains("marka-file.txt") }, "\(account.text.suffix(900))")
        marks.signed = signed(in: audio.text) + signed(in: account.text)
        #expect(!signed(in: audio.text).isEmpty)
        let all = streams.map(\.text).joined()
        for stream in streams { await stream.close() }
        return all
    }

    private func signed(in text: String) -> [String] {
        text.replacing("\\/", with: "/").split(separator: "\"").map(String.init).filter { $0.contains("signature=") }
    }

    // MARK: Everything is asked for

    /// The requests of each route, with all that Ana's addresses hold.
    private func targets(_ marks: Marks) -> [String: [(target: String, body: String)]] {
        let subjects = ["contact=1001", "operation=coffee%2F%3Afrom", "account=\(marks.account)"]
        let query = "?tab=tab&" + subjects.joined(separator: "&")
        let screens = Screens.all.map { $0.name }
        let intents = ["appear", "refresh"]
        let clips = marks.signed.compactMap { $0.split(separator: "?").first.map(String.init) }
        let file = "/api/screens/drive-account/files/marka-file.txt\(query)"
        return [
            "GET /api/screens/:screen/events": screens.map { ("/api/screens/\($0)/events\(query)", "") },
            "POST /api/screens/:screen/intents": screens.flatMap { screen in
                intents.map { ("/api/screens/\(screen)/intents\(query)", #"{"intent":"\#($0)"}"#) }
            },
            "GET /api/screens/feed/images/:id": [
                ("/api/screens/feed/images/033DBEF9-71F2-56CF-B108-8303FC336188\(query)", "")
            ],
            "GET /api/screens/contacts/images/:id": [("/api/screens/contacts/images/1001\(query)", "")],
            "POST /api/addresses": marks.signed.map { ("/api/addresses", WireJSON.text(["address": $0])) },
            "GET /api/feed": [("/api/feed", "")],
            "GET /api/feed/saved": [("/api/feed/saved", "")],
            "GET /api/screens/audio/clips/:id": clips.map { ("\($0)?tab=tab", "") } + marks.signed.map { ($0, "") },
            "POST \(AudioAPI.filePath)": [("\(AudioAPI.filePath)?tab=other&name=y.mp3", "ID3y")],
            "GET \(AudioAPI.filePath)": [("\(AudioAPI.filePath)?tab=tab", "")],
            "POST \(DriveAPI.filePath)": [
                ("\(DriveAPI.filePath)?tab=tab&account=\(marks.account)&batch=2&name=other.txt", "y")
            ],
            "GET /api/screens/drive-account/files/*name": [(file, "")],
            "GET /api/inspector": [("/api/inspector", "")],
            "POST /api/inspector/validate": [("/api/inspector/validate", "")],
            "DELETE /api/inspector/entries": ["item:1", "payment:1", "foaas:seen"].map {
                ("/api/inspector/entries?key=\($0)", "")
            },
            "GET /api/connection": [("/api/connection", "")],
            "PUT /api/connection": [("/api/connection", #"{"mode":"offline"}"#)],
            "GET /api/reference/transfers": [("/api/reference/transfers", "")],
            "GET /api/user": [("/api/user", "")],
            "POST /api/user/logout": [("/api/user/logout", "not this")],
        ]
    }

    /// All answers and streams, as a text. Ana’s first requests are the same as what Bruno does.
    private func walk(_ world: UsersWorld, as user: String, _ marks: Marks) async throws -> String {
        let room = try await world.house.rooms.room(of: try world.name(user))
        let targets = targets(marks)
        var (streams, answers): ([OpenStream], [String]) = ([], [])
        // Requests that delete come last, so that it hides nothing from the others.
        let patterns = room.site.router.patterns.sorted { $0.method != "DELETE" && $1.method == "DELETE" }
        for (method, pattern) in patterns {
            let requests = try #require(
                targets["\(method.rawValue) \(pattern)"], "\(method.rawValue) \(pattern) has no walk")
            for (target, body) in requests {
                // Ana keeps what she has: only what Bruno deletes and validates is tried.
                if user == "ana", method == "DELETE" { continue }
                let response = await world.ask(user, method.rawValue, target, body)
                if case .stream = response.body {
                    streams.append(OpenStream(response))
                } else {
                    var text = String(decoding: try await response.collectBody(), as: UTF8.self)
                    // The words that were sent come back, signed for whoever has sent them.
                    if pattern == "/api/addresses" {
                        text = String(text.replacing("\\/", with: "/").split(separator: "?").last ?? "")
                    }
                    if pattern == "/api/addresses" { text = text.replacing(marks.account, with: "") }
                    answers.append("\(text) \(response.headers)")
                }
            }
        }
        // Each screen has loaded what it loads before its states are looked at.
        for kind in Screens.all {
            let screen = kind.name
            let stream = await world.listen(
                user,
                "/api/screens/\(screen)/events?tab=tab&contact=1001&operation=coffee%2F%3Afrom&account=\(marks.account)"
            )
            streams.append(stream)
            guard stream.status == 200 else { continue }
            try #require(
                await eventually {
                    let last = stream.text.components(separatedBy: "event: state").last ?? ""
                    return stream.text.contains("event: state") && !last.contains(#""isLoading":true"#)
                })
        }
        let text = (answers + streams.map(\.text)).joined(separator: "\n")
        for stream in streams { await stream.close() }
        return text
    }

    // MARK: Signed addresses

    private func presentSigned(_ world: UsersWorld, _ marks: Marks) async throws {
        let theirs = try #require(
            try world.house.access.users().first { $0.name == "bruno" }?.tokens.first?.hash)
        for address in marks.signed {
            let own = await world.ask(token: nil, "GET", address)
            #expect(own.status == 200, "Ana's browser opens it without a script: \(address)")
            // A token says who asks, whatever the address says.
            let foreign = await world.ask("bruno", "GET", address)
            #expect(foreign.status == 404)
            // The address names Ana's token, and the signature covers that.
            let session = try #require(address.split(separator: "&").first { $0.contains("session=") })
            let swapped = address.replacing(session, with: "session=\(SignedAddresses.session(of: theirs))")
            #expect(swapped != address)
            #expect(await world.ask(token: nil, "GET", swapped).status == 401)
            let anonymous = address.replacing("&\(session)", with: "")
            #expect(await world.ask(token: nil, "GET", anonymous).status == 401)
        }
    }
}
