import Aquifer
import AquiferPayments
import AquiferShadowDrive
import AquiferTesting
import Foundation
import Testing

@testable import App
@testable import AquiferAudioFeed

/// A change by one tab or process is on the pages of the others, without a request.
@MainActor
@Suite("Pages and programs agree", .timeLimit(.minutes(10)))
struct ScreensAgreeTests {
    /// A list, as its page asks for it, and a change that leaves nothing in it.
    struct List: Sendable, CustomStringConvertible {
        let screen: String
        let empty: @Sendable (Services) async throws -> Void
        var description: String { screen }
    }

    nonisolated static let lists = [
        List(screen: "feed", empty: { try await $0.feed.feed.save([]) }),
        List(screen: "contacts", empty: { try await $0.payments.contacts.save([]) }),
        List(screen: "audio", empty: { try await $0.audio.feed.save([]) }),
    ]

    @Test("The first card makes the folder of the cards: the next ones are on a page that was there before")
    func firstCards() async throws {
        let world = AppWorld()
        let program = Services(world.services.configuration).payments
        let page = world.states(CardsScreen.self)
        #expect(await world.tell("cards?tab=tab", "appear") == 204)
        #expect(await page.state(with: #""isEmpty":true"#) != "")
        let first = try await add("4111 1111 1111 1111", by: program, in: world)
        #expect(await page.state(with: first.id.uuidString) != "")
        _ = try await add("5555 5555 5555 4444", by: program, in: world)
        // The choice of the default card tells nothing of this.
        _ = try await program.vault.remove(first.id)
        #expect(await page.state { !$0.contains(first.id.uuidString) } != "")
        await world.services.stop()
    }

    @Test("What a program queues and discards is on the pages of the outbox and of the clips")
    func outbox() async throws {
        let world = AppWorld()
        let program = Services(world.services.configuration)
        let pages = ["one", "two"].map { world.states(OutboxScreen.self, tab: $0) }
        for (tab, page) in zip(["one", "two"], pages) {
            #expect(await world.tell("outbox?tab=\(tab)", "appear") == 204)
            #expect(await page.state(with: #""isEmpty":true"#) != "")
        }
        let request = HTTPRequest(.post, URL(string: "http://server.example/")!, body: .bytes(Data("one".utf8)))
        let item = try await program.outbox.enqueue(request, label: "Rain")
        for page in pages { #expect(await page.state(with: #""title":"Rain""#) != "") }
        try await program.outbox.discard(item.id)
        for page in pages { #expect(await page.state(with: #""isEmpty":true"#) != "") }
        await program.stop()
        await world.services.stop()
    }

    @Test("A file that a program stores is on the page of its account, beside what is typed there")
    func files() async throws {
        let world = AppWorld()
        let program = try await Services(world.services.configuration).drive()
        let address = try await world.site.hub.drive.service.createStorageAccount(name: "holiday", size: 1 << 20)
            .account.address
        let page = world.states(DriveAccountScreen.self, showing: "\(address)")
        #expect(await world.tell("drive-account?tab=tab&account=\(address)", "appear") == 204)
        #expect(await page.state(with: #""isOwner":true"#) != "")
        let file = world.folder.appending(path: "note.txt")
        try Data("note".utf8).write(to: file)
        _ = try await program.upload([file], to: address)
        #expect(await page.state(with: #""name":"note.txt""#) != "")
        _ = try await program.deleteFile(program.api.location(of: "note.txt", in: address))
        #expect(await page.state { !$0.contains("note.txt") } != "")
        await world.services.stop()
    }

    @Test("The list of accounts and the page of one agree, after an upload and a delete, and without a connection")
    func usage() async throws {
        let world = AppWorld()
        let address = try await world.site.hub.drive.service.createStorageAccount(name: "holiday", size: 1 << 20)
            .account.address
        let screen = "drive-account?tab=tab&account=\(address)"
        let list = world.states(DriveScreen.self)
        let page = world.states(DriveAccountScreen.self, showing: "\(address)")
        #expect(await world.tell("drive?tab=tab", "appear") == 204)
        #expect(await world.tell(screen, "appear") == 204)
        let (empty, used) = ("0\u{a0}B of 1\u{a0}MB used", "4\u{a0}B of 1\u{a0}MB used")
        #expect(await list.state(with: empty) != "")
        #expect(await page.state(with: empty) != "")
        let file = world.folder.appending(path: "note.txt")
        try Data("note".utf8).write(to: file)
        _ = try await world.site.hub.drive.service.upload([file], to: address)
        #expect(await list.state(with: used) != "")
        #expect(await page.state(with: used) != "")
        world.services.reference.set(.offline, of: .drive)
        let others = [
            world.states(DriveScreen.self, tab: "two"),
            world.states(DriveAccountScreen.self, showing: "\(address)", tab: "two"),
        ]
        #expect(await world.tell("drive?tab=two", "appear") == 204)
        #expect(await world.tell("drive-account?tab=two&account=\(address)", "appear") == 204)
        for other in others { #expect(await other.state(with: used) != "") }
        world.services.reference.set(.none, of: .drive)
        #expect(await world.tell(screen, "delete", ["file": "note.txt"]) == 204)
        #expect(await list.state(with: empty) != "")
        await world.services.stop()
    }

    private func add(_ number: String, by program: PaymentsService, in world: AppWorld) async throws -> CardSummary {
        try await program.add(
            try CardNumber(number, allowsTestCard: false), holder: "Ana Silva",
            expiry: try Expiry(parsing: "12/35", now: world.date.now))
    }

    @Test("A list that a program changes is on the pages of all tabs", arguments: lists)
    func lists(list: List) async throws {
        let world = AppWorld()
        let program = Services(world.services.configuration)
        let pages = ["one", "two"].map { world.states(Screens.named(list.screen)!, tab: $0) }
        for (tab, page) in zip(["one", "two"], pages) {
            #expect(await world.tell("\(list.screen)?tab=\(tab)", "appear") == 204)
            #expect(await page.state { $0.contains(#""phase":"loaded""#) && !$0.contains(#""isLoading":true"#) } != "")
        }
        try await list.empty(program)
        for page in pages { #expect(await page.state(with: #""isEmpty":true"#) != "") }
        await program.stop()
        await world.services.stop()
    }

    @Test("A card that a program adds or chooses is on the pages of all tabs, and one that is removed leaves them")
    func cards() async throws {
        let world = AppWorld()
        let program = Services(world.services.configuration).payments
        let first = try await add("4111 1111 1111 1111", by: program, in: world)
        let pages = ["one", "two"].map { world.states(CardsScreen.self, tab: $0) }
        for (tab, page) in zip(["one", "two"], pages) {
            #expect(await world.tell("cards?tab=\(tab)", "appear") == 204)
            #expect(await page.state(with: first.id.uuidString) != "")
        }
        let second = try await add("5555 5555 5555 4444", by: program, in: world)
        for page in pages { #expect(await page.state(with: second.id.uuidString) != "") }
        _ = try await program.vault.remove(second.id)
        for page in pages { #expect(await page.state { !$0.contains(second.id.uuidString) } != "") }
        await world.services.stop()
    }
}
