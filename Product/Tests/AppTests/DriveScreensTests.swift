import Aquifer
import AquiferShadowDrive
import AquiferTesting
import AquiferWording
import Foundation
import HTTPServer
import Testing

@testable import App

@MainActor
@Suite("The drive's screens in tabs", .timeLimit(.minutes(10)))
struct DriveScreensTests {
    private func handOver(
        _ world: AppWorld, _ text: String, as name: String, to account: PublicKey, batch: String = "1"
    ) async -> ServerResponse {
        let name = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return await world.request(
            "POST", "\(DriveAPI.filePath)?tab=tab&account=\(account)&batch=\(batch)&name=\(name)", text)
    }

    private func load(_ world: AppWorld, _ name: String, of account: PublicKey) async -> ServerResponse {
        let name = FileLocation.encode(name)
        return await world.request("GET", "/api/screens/drive-account/files/\(name)?tab=tab&account=\(account)")
    }

    /// An account made by the service, and its screen, loaded.
    private func account(
        _ world: AppWorld, language: Language = .english
    ) async throws -> (address: PublicKey, screen: String, reader: StateReader) {
        let created = try await world.site.hub.drive.service.createStorageAccount(name: "holiday", size: 1 << 20)
        let address = created.account.address
        let reader = world.states(DriveAccountScreen.self, showing: "\(address)", language: language)
        let screen = "drive-account?tab=tab&account=\(address)"
        #expect(await world.tell(screen, "appear") == 204)
        _ = await reader.state(with: #""isOwner":true"#)
        return (address, screen, reader)
    }

    /// The files that pages have handed over and that are not used yet.
    private func kept(_ world: AppWorld) -> [String] {
        let folder = world.folder.appending(path: "uploads").path
        let all = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String]) ?? []
        // The first part of each path is the folder of a process.
        return all.filter { $0.contains("/") }
    }

    @Test("An account is made from a name and a size, with its price before; the list then has it")
    func creation() async throws {
        let world = AppWorld()
        let form = world.states(DriveCreateScreen.self)
        let screen = "drive-create?tab=tab"
        #expect(await world.tell(screen, "appear") == 204)
        _ = await form.state(with: #""isPriceKnown":true"#)
        #expect(await world.tell(screen, "size", ["text": "10"]) == 204)
        #expect(await form.state(with: #""sizeError":"Write"#).contains(#""canCreate":false"#))
        await world.tell(screen, "name", ["text": "holiday"])
        await world.tell(screen, "size", ["text": "10MB"])
        let ready = await form.state(with: #""canCreate":true"#)
        #expect(ready.contains("SHDW"), "the price is shown before anything is signed")
        let shades = try #require(try JSONSerialization.jsonObject(with: Data(ready.utf8)) as? [String: Any])["spend"]
        let cost = try #require((shades as? [String: Any])?["shades"] as? String)
        #expect(await world.tell(screen, "create", ["size": "10MB"]) == 400)
        #expect(await world.tell(screen, "create", ["size": "10MB", "cost": "1"]) == 204)
        #expect(await form.state(with: #""phase":"failed""#).contains("The price has changed"))
        await world.tell(screen, "create", ["size": "10MB", "cost": cost])
        #expect(await form.state(with: #""phase":"created""#).contains(#""sizeText":"10\#u{a0}MB""#))

        let list = world.states(DriveScreen.self, language: .brazilianPortuguese)
        await world.tell("drive?tab=tab", "appear")
        #expect(await list.state(with: #""name":"holiday""#).contains("0\u{a0}B de 10\u{a0}MB em uso"))
        await world.services.stop()
    }

    @Test("Offline an account cannot be made, and that nothing happened is plain")
    func offline() async throws {
        let world = AppWorld()
        world.services.reference.set(.offline, of: .drive)
        let form = world.states(DriveCreateScreen.self)
        let screen = "drive-create?tab=tab"
        await world.tell(screen, "name", ["text": "holiday"])
        await world.tell(screen, "size", ["text": "10MB"])
        await world.tell(screen, "create", ["size": "10MB", "cost": ""])
        let failed = await form.state(with: #""phase":"failed""#)
        #expect(failed.contains(#""isUnknown":false"#) && !failed.contains("may have happened"))
        await world.services.stop()
    }

    @Test("Files are handed over, sent, listed, given back byte for byte, and nothing of them stays behind")
    func files() async throws {
        let world = AppWorld()
        let (address, screen, reader) = try await account(world)
        let name = "a #1 'ünï'?.txt"
        #expect(await handOver(world, "hello", as: name, to: address).status == 204)
        #expect(!kept(world).isEmpty)
        #expect(await world.tell(screen, "upload", ["batch": "1"]) == 204)
        let stored = await reader.state { $0.contains(#""isDone":true"#) && $0.contains(#""files":[{"link""#) }
        #expect(stored.contains(#""stored":1"#) && stored.contains(#""sizeText":"5\#u{a0}B""#))
        let response = await load(world, name, of: address)
        #expect(response.status == 200 && response.headers["Content-Type"] == "application/octet-stream")
        #expect(
            response.headers["Content-Disposition"]
                == "attachment; filename*=UTF-8''a%20%231%20%27%C3%BCn%C3%AF%27%3F.txt")
        #expect(try await response.collectBody() == Data("hello".utf8))
        #expect(kept(world).isEmpty)

        #expect(await world.tell(screen, "delete", ["file": name]) == 204)
        _ = await reader.state(with: #""isEmpty":true"#)
        #expect(await load(world, name, of: address).status == 404)
        await world.services.stop()
    }

    @Test(
        "A file that is shown is saved: without a connection it is the saved copy, which says so; others say that there is none"
    )
    func previews() async throws {
        let world = AppWorld()
        let (address, screen, reader) = try await account(world)
        let picture = Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
        try #require(picture).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // it is in a folder that the system empties
        #expect(await handOver(world, "<script>", as: "page.html", to: address).status == 204)
        #expect(await handOver(world, "other", as: "other.txt", to: address).status == 204)
        #expect(await world.tell(screen, "upload", ["batch": "1"]) == 204)
        let stored = await reader.state { $0.contains(#""isDone":true"#) && $0.contains(#""files":[{"link""#) }
        #expect(stored.contains("preview=true") && stored.contains(#""size":8,"#))
        _ = try await world.site.hub.drive.service.upload([file], to: address)

        func preview(_ name: String, _ more: String = "") async -> ServerResponse {
            let name = FileLocation.encode(name)
            return await world.request(
                "GET", "/api/screens/drive-account/files/\(name)?account=\(address)&preview=true&lang=en\(more)")
        }
        #expect(await preview("page.html", "&saved=true").status == 204)
        let page = await preview("page.html")
        #expect(page.headers["Content-Type"] == "application/octet-stream" && page.headers["Aquifer-Notice"] == nil)
        #expect(page.headers["Content-Security-Policy"]?.hasPrefix("sandbox") == true)
        #expect(try await page.collectBody() == Data("<script>".utf8))
        #expect(await preview("page.html", "&saved=true").status == 200)
        #expect(await preview(file.lastPathComponent).headers["Content-Type"] == "image/png")

        world.services.reference.set(.offline, of: .drive)
        let saved = await preview("page.html")
        #expect(saved.status == 200 && saved.headers["Aquifer-Notice"]?.contains("Saved") == true)
        #expect(await preview("other.txt").status == 504)
        await world.services.stop()
    }

    @Test("A batch of which another replica took a file is refused as a whole, and none of it is sent")
    func torn() async throws {
        let world = AppWorld()
        let (address, screen, reader) = try await account(world)
        #expect(await handOver(world, "one", as: "one.txt", to: address).status == 204)
        for fields in [["batch": "1", "count": "2"], ["batch": "2", "count": "1"]] {
            #expect(await world.tell(screen, "upload", fields) == 400)
        }
        #expect(kept(world).contains { $0.hasSuffix("one.txt") })
        #expect(await world.tell(screen, "upload", ["batch": "1", "count": "1"]) == 204)
        let stored = await reader.state { $0.contains(#""isDone":true"#) && $0.contains(#""files":[{"link""#) }
        #expect(stored.contains("one.txt"))
        await world.services.stop()
    }

    @Test("A new batch replaces one that was never sent, and a batch that is not there sends nothing")
    func batches() async throws {
        let world = AppWorld()
        let (address, screen, reader) = try await account(world)
        #expect(await handOver(world, "one", as: "one.txt", to: address, batch: "1").status == 204)
        #expect(await handOver(world, "two", as: "two.txt", to: address, batch: "2").status == 204)
        #expect(kept(world).filter { $0.hasSuffix(".txt") }.map { ($0 as NSString).lastPathComponent } == ["two.txt"])
        #expect(await world.tell(screen, "upload", ["batch": "1"]) == 204)
        #expect(await world.tell(screen, "upload", ["batch": "2"]) == 204)
        let stored = await reader.state { $0.contains(#""isDone":true"#) && $0.contains(#""files":[{"link""#) }
        #expect(stored.contains("two.txt") && !stored.contains("one.txt"))
        await world.services.stop()
    }

    @Test("A batch that its page gives up leaves nothing behind, and none of its files is taken after that")
    func abandoned() async throws {
        let world = AppWorld()
        let (address, screen, _) = try await account(world)
        #expect(await handOver(world, "one", as: "one.txt", to: address, batch: "1").status == 204)
        #expect(await world.tell(screen, "abandon", ["batch": "other"]) == 204)
        #expect(!kept(world).isEmpty)
        #expect(await world.tell(screen, "abandon", ["batch": "1"]) == 204)
        #expect(await eventually { kept(world).isEmpty })
        #expect(await handOver(world, "two", as: "two.txt", to: address, batch: "1").status == 409)
        #expect(kept(world).isEmpty)
        #expect(await handOver(world, "two", as: "two.txt", to: address, batch: "2").status == 204)
        await world.services.stop()
    }

    @Test("A file that was handed over and never sent goes with its screen")
    func leftBehind() async throws {
        let world = AppWorld()
        let (address, _, _) = try await account(world)
        let place = ScreenAddress(name: DriveAccountScreen.name, tab: "other", subject: "\(address)")
        var screen = DriveAccountScreen(place, in: world.site.hub)
        await screen?.model?.appear()
        let body = ServerRequestBody([Data("one".utf8)])
        let file = try await world.services.uploads.take(body, limit: 10, named: "one.txt")
        #expect(screen?.take(file, batch: "1") == true)
        #expect(!kept(world).isEmpty)
        screen = nil
        #expect(await eventually { kept(world).isEmpty })
        await world.services.stop()
    }

    @Test("A batch replaces only the file that the user agreed to replace")
    func agreed() async throws {
        let world = AppWorld()
        let (address, screen, reader) = try await account(world)
        for name in ["a.txt", "b.txt"] { #expect(await handOver(world, "old", as: name, to: address).status == 204) }
        #expect(await world.tell(screen, "upload", ["batch": "1", "count": "2"]) == 204)
        _ = await reader.state { $0.contains(#""isDone":true"#) && $0.contains(#""stored":2"#) }
        #expect(await world.tell(screen, "dismissUpload") == 204)
        for name in ["a.txt", "b.txt"] {
            #expect(await handOver(world, "newer", as: name, to: address, batch: "2").status == 204)
        }
        #expect(await world.tell(screen, "upload", ["batch": "2", "count": "2", "replacing": "1"]) == 204)
        _ = await reader.state { $0.contains(#""isDone":true"#) && $0.contains(#""stored":1"#) }
        #expect(try await load(world, "a.txt", of: address).collectBody() == Data("old".utf8))
        #expect(try await load(world, "b.txt", of: address).collectBody() == Data("newer".utf8))
        await world.services.stop()
    }

    @Test("What cannot be handed over is refused in words, and nothing is kept of it")
    func refused() async throws {
        let world = AppWorld()
        let (address, _, _) = try await account(world)
        for name in ["", ".", "..", "a/b", "nul\0", String(repeating: "x", count: 300)] {
            let response = await handOver(world, "x", as: name, to: address)
            #expect(response.status == 422, "\(name)")
            #expect(String(decoding: try await response.collectBody(), as: UTF8.self).contains("cannot have this name"))
        }
        #expect(await handOver(world, "x", as: "a", to: world.site.hub.drive.service.program.id).status == 409)
        for target in ["?tab=tab", "?tab=tab&account=\(address)&batch=1", "?account=\(address)&batch=1&name=a"] {
            #expect(await world.request("POST", DriveAPI.filePath + target, "x").status == 404)
        }
        #expect(kept(world).isEmpty)
        await world.services.stop()
    }

    @Test("What cannot be given is told: no such file, no address, no connection")
    func notGiven() async throws {
        let world = AppWorld()
        let (address, _, _) = try await account(world)
        #expect(await load(world, "none", of: address).status == 404)
        for target in ["a?tab=tab&account=l0l", "a?tab=tab", "a?account=\(address)", "?tab=tab&account=\(address)"] {
            #expect(await world.request("GET", "/api/screens/drive-account/files/\(target)").status == 404, "\(target)")
        }
        world.services.reference.set(.failing, of: .drive)
        #expect(await load(world, "none", of: address).status == 502)
        world.services.reference.set(.offline, of: .drive)
        // Not 503: a proxy before replicas would take it for a replica that cannot serve, and ask the next one.
        #expect(await load(world, "none", of: address).status == 504)
        await world.services.stop()
    }

    @Test("Only the account's whole name makes it immutable")
    func immutable() async throws {
        let world = AppWorld()
        let (_, screen, reader) = try await account(world)
        await world.tell(screen, "makeImmutable", ["typed": "holida"])
        #expect(await world.tell(screen, "nonsense") == 400)
        await world.tell(screen, "makeImmutable", ["typed": "holiday"])
        let done = await reader.state(with: #""isImmutable":true"#)
        #expect(done.contains(#""problem":null"#))
        await world.services.stop()
    }

    @Test("An address that is none is a missing page, and without a key the screens say what to do")
    func missing() async throws {
        let world = AppWorld { $0.driveKeypair = $0.data.appending(path: "none.json") }
        #expect(
            await world.states(DriveAccountScreen.self, showing: "l0l").next()?.contains(#""isMissing":true"#) == true)
        let list = await world.states(DriveScreen.self).next()
        #expect(list?.contains(#""needsKey":true"#) == true && list?.contains("none.json") == true)
        await world.services.stop()
    }

    @Test("No state holds the secret of the key that the pages got")
    func secret() async throws {
        let world = AppWorld()
        let (_, _, reader) = try await account(world)
        let file = world.services.configuration.keys.appending(path: "drive.json")
        let bytes = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [UInt8])
        let state = await reader.next() ?? ""
        let list = await world.states(DriveScreen.self).next() ?? ""
        #expect(list.contains("\(try Keypair(contentsOf: file).publicKey)"))
        for text in [state, list] {
            #expect(!text.contains(Base58.encode(Data(bytes.prefix(32)))) && !text.contains(Base58.encode(Data(bytes))))
            #expect(!text.contains(bytes.prefix(8).map(String.init).joined(separator: ",")))
        }
        await world.services.stop()
    }
}
