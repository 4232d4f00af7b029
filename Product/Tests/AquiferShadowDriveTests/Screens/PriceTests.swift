import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive
@testable import AquiferSolana

@MainActor
@Suite("The price that is paid is the one that was confirmed", .timeLimit(.minutes(10)))
struct PriceTests {
    private static func price(_ shadesPerGib: UInt64) -> DriveWorld.Reply {
        .chain(
            StorageConfig(
                shadesPerGib: shadesPerGib, storageAvailable: 1, tokenAccount: Vectors.account, admin: Vectors.account,
                uploader: Vectors.program.uploader))
    }

    /// A world in which the chain tells this price, whatever it told before.
    private func world(_ price: Locked<DriveWorld.Reply>) -> DriveWorld {
        let config = "\(Vectors.program.storageConfig)"
        return DriveWorld(
            client: ScriptedHTTPClient { request in
                let name = DriveWorld.name(of: request)
                let asked = (request.json["params"] as? [Any])?.first as? String
                return name == "getAccountInfo" && asked == config
                    ? price.withLock { $0 } : DriveWorld.usual(name, request)
            })
    }

    @Test("storage: each refresh asks for the price, and another price than the confirmed one pays nothing")
    func storage() async {
        let price = Locked(Self.price(1 << 20))
        let world = world(price)
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        #expect(model.cost(of: "1MB") == 1 << 10 && model.stake == 10 << 10)
        price.withLock { $0 = Self.price(2 << 20) }
        await model.refresh()
        #expect(model.cost(of: "1MB") == 2 << 10)
        for shown in [.shades(1 << 10), .unknown] as [ShownPrice] {
            await model.addStorage("1MB", at: shown)
            #expect(model.problem == .priceChanged(cost: 2 << 10) && model.failed == .addingStorage)
        }
        // The price of another size is none of this one.
        await model.addStorage("1GB", at: .shades(2 << 10))
        #expect(model.problem == .priceChanged(cost: 2 << 20) && world.requests("add-storage").isEmpty)
        await model.addStorage("1MB", at: .shades(2 << 10))
        #expect(model.problem == nil && world.requests("add-storage").count == 1)
    }

    @Test("storage: a price that cannot be compared is not paid, unless none was shown")
    func unknown() async {
        let price = Locked(Self.price(1 << 20))
        let world = world(price)
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        price.withLock { $0 = .offline }
        await model.addStorage("1MB", at: .shades(1 << 10))
        #expect(model.problem == .connectivity(TransportError(.cannotConnect)))
        price.withLock { $0 = DriveWorld.usual("getAccountInfo", HTTPRequest(.get, DriveWorld.base)) }
        await model.addStorage("1MB", at: .shades(1 << 10))
        #expect(model.problem == .priceChanged(cost: nil) && world.requests("add-storage").isEmpty)
        await model.addStorage("1MB", at: .unknown)
        #expect(model.problem == nil && world.requests("add-storage").count == 1)
    }

    @Test("a new account: another price or size than the confirmed ones creates nothing")
    func creation() async {
        let price = Locked(Self.price(1 << 20))
        let world = world(price)
        let model = CreateAccountModel(world.service)
        await model.appear()
        model.enter(name: "my-bucket")
        model.enter(size: "1MB")
        #expect(model.cost == 1 << 10)
        price.withLock { $0 = Self.price(2 << 20) }
        await model.create("1MB", at: .shades(1 << 10))
        #expect(model.phase == .failed(.priceChanged(cost: 2 << 10)) && model.cost == 2 << 10)
        model.enter(size: "2MB")
        await model.create("1MB", at: .shades(2 << 10))
        #expect(model.phase == .failed(.priceChanged(cost: 4 << 10)) && world.requests("storage-account").isEmpty)
        await model.appear()
        await model.create("2MB", at: .shades(4 << 10))
        #expect(world.requests("storage-account").count == 1)
    }

    @Test("the usage counts what was sent, and a file that does not fit is told what is free beside the others")
    func usage() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            if name == "storage-account-info" { return .info("\(Vectors.account)", used: 1 << 20) }
            return name == "upload" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let model = AccountModel(world.service, account: world.account)
        await model.appear()
        let files = [
            try world.file("first", size: 4 << 20), try world.file("large", size: 8 << 20),
            try world.file("last", size: 1 << 20),
        ]
        let asked = client.requests.count
        let uploading = Task { await model.upload(files) }
        let exchange = await client.exchange(asked + 1)
        let sent = try #require(model.upload?.progress.sent)
        #expect(model.countedAccount?.currentUsage == (1 << 20) + sent)
        exchange.respond(body: DriveWorld.stored(["first", "last"]))
        await uploading.value
        #expect(model.upload?.results[1].error == .file(.noRoom(name: "large", free: 4 << 20)))
        #expect(model.countedAccount == model.account)
    }
}

extension DriveWorld {
    fileprivate static func stored(_ names: [String]) -> Data {
        let places = names.map { "\"\(files)/\(Vectors.account)/\($0)\"" }
        return Data(#"{"finalized_locations":[\#(places.joined(separator: ","))],"message":"m"}"#.utf8)
    }
}
