import Aquifer
import AquiferTesting
import AquiferUserDefaults
import Foundation
import Testing

@testable import Foaas

@Suite("FoaasAPIManager and FoaasDataManager", .serialized, .timeLimit(.minutes(10)))
struct FoaasManagersTests {
    private let domain = TemporaryDefaults()
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))

    private func manager() -> FoaasDataManager {
        FoaasDataManager(UserDefaultsStore(domain.open()), now: date.read)
    }

    @Test("getFoaas(url:completion:) delivers the phrase at a url, and nil when there is none")
    func getFoaas() async throws {
        let world = FoaasWorld(.phrase(), .json("{}", status: 622))
        FoaasAPIManager.configure(world.service)
        let url = world.base.appending(path: "awesome/louis")
        let phrase = await withCheckedContinuation { done in
            FoaasAPIManager.getFoaas(url: url) { done.resume(returning: $0) }
        }
        #expect(phrase == Foaas(message: "This is damn awesome.", subtitle: "- louis"))
        let none = await withCheckedContinuation { done in
            FoaasAPIManager.getFoaas(url: url) { done.resume(returning: $0) }
        }
        #expect(none == nil)
        #expect(world.client.requests.map(\.url) == [url, url])
    }

    @Test("getOperations(completion:) delivers the operations, and nil when there are none")
    func getOperations() async throws {
        let world = FoaasWorld(.operations())
        FoaasAPIManager.configure(world.service)
        let list = await withCheckedContinuation { done in FoaasAPIManager.getOperations { done.resume(returning: $0) }
        }
        #expect(list == [FoaasWorld.awesome, FoaasWorld.gift])
        FoaasAPIManager.configure(FoaasWorld(.refused).service)
        let none = await withCheckedContinuation { done in FoaasAPIManager.getOperations { done.resume(returning: $0) }
        }
        #expect(none == nil)
    }

    @Test("save(operations:) and load() keep them under FoaasOperationsKey in UserDefaults, for the next process")
    func saveAndLoad() {
        let first = manager()
        #expect(first.operations == nil && !first.load())
        #expect(first.save(operations: [FoaasWorld.gift, FoaasWorld.version]))
        #expect(domain.open().data(forKey: "FoaasOperationsKey") != nil)
        let next = manager()
        #expect(next.operations == nil)
        #expect(next.load() && next.operations == [FoaasWorld.gift, FoaasWorld.version])
    }

    @Test("load() delivers nothing older than seven days")
    func expired() {
        manager().save(operations: [FoaasWorld.gift])
        date.advance(by: Duration.days(7).timeInterval - 1)
        #expect(manager().load())
        date.advance(by: 1)
        #expect(!manager().load())
    }

    @Test("deleteStoredOperations() leaves nothing, stored or known")
    func delete() {
        let manager = manager()
        manager.save(operations: [FoaasWorld.gift])
        manager.deleteStoredOperations()
        #expect(manager.operations == nil && !manager.load())
        #expect(domain.open().object(forKey: "FoaasOperationsKey") == nil)
    }

    @Test("Foreign data under the key is no operation, and is left alone until something is saved")
    func foreign() {
        let defaults = domain.open()
        for value in ["a text" as Any, Data("bytes".utf8), [1, 2]] {
            defaults.set(value, forKey: "FoaasOperationsKey")
            let manager = manager()
            #expect(!manager.load() && manager.operations == nil)
            #expect(defaults.object(forKey: "FoaasOperationsKey") != nil)
            #expect(manager.save(operations: [FoaasWorld.version]) && manager.load())
        }
    }

    @Test("What is stored is loaded before the remote is asked; what the remote gives is stored")
    func storedFirst() async throws {
        let world = FoaasWorld(.operations())
        FoaasAPIManager.configure(world.service)
        #expect(try await manager().loadOrRequest() == [FoaasWorld.awesome, FoaasWorld.gift])
        #expect(world.paths == ["/operations"])
        // The script has ended: were the remote asked again, this would fail.
        #expect(try await manager().loadOrRequest() == [FoaasWorld.awesome, FoaasWorld.gift])
        #expect(world.paths.count == 1)
    }

    @Test("What stood in for the latest keeps its age when it is stored")
    func standInKeepsItsAge() async throws {
        let world = FoaasWorld(.operations())
        _ = try await world.service.loadOperations()
        world.date.advance(by: Duration.days(6).timeInterval)
        let manager = FoaasDataManager(UserDefaultsStore(domain.open()), now: world.date.read)
        let service = world.service
        let loaded = try await manager.loadOrRequest { () async throws(LoadError) in try await service.loadOperations()
        }
        #expect(loaded.count == 2 && manager.load())
        world.date.advance(by: Duration.days(1).timeInterval)
        #expect(!manager.load(), "it is seven days old")
    }

    @Test("shared is over the standard defaults: what it saves is theirs, and what it deletes is gone there")
    func shared() {
        let key = "FoaasOperationsKey"
        let before = UserDefaults.standard.object(forKey: key)
        defer {
            UserDefaults.standard.set(before, forKey: key)
            UserDefaults.standard.synchronize()
        }
        #expect(FoaasDataManager.shared.save(operations: [FoaasWorld.gift]))
        #expect(UserDefaults.standard.data(forKey: key) != nil)
        let other = FoaasDataManager(UserDefaultsStore())
        #expect(other.load() && other.operations == [FoaasWorld.gift])
        FoaasDataManager.shared.deleteStoredOperations()
        #expect(UserDefaults.standard.object(forKey: key) == nil)
    }

    @Test("Without a server of its own, FoaasAPIManager asks http://www.foaas.com")
    func defaultServer() async throws {
        let client = ScriptedHTTPClient([.operations()])
        FoaasAPIManager.configure(client: client, store: MemoryStore())
        #expect(try await FoaasAPIManager.getOperations() == [FoaasWorld.awesome, FoaasWorld.gift])
        #expect(client.requests.map(\.url.absoluteString) == ["http://www.foaas.com/operations"])
        #expect(FoaasAPIManager.server.absoluteString == "http://www.foaas.com")
    }
}
