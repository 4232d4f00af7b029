import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import Foaas

@Suite("FoaasAPIManager and FoaasDataManager", .serialized, .timeLimit(.minutes(1)))
struct FoaasManagersTests {
    private let suite: String
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))

    init() { suite = "aquifer-tests-\(UUID().uuidString)" }

    private func manager() throws -> FoaasDataManager {
        FoaasDataManager(UserDefaultsStore(try #require(UserDefaults(suiteName: suite))), now: date.read)
    }

    private func clean() { UserDefaults.standard.removePersistentDomain(forName: suite) }

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
    func saveAndLoad() throws {
        defer { clean() }
        let first = try manager()
        #expect(first.operations == nil && !first.load())
        #expect(first.save(operations: [FoaasWorld.gift, FoaasWorld.version]))
        #expect(UserDefaults(suiteName: suite)?.data(forKey: "FoaasOperationsKey") != nil)
        let next = try manager()
        #expect(next.operations == nil)
        #expect(next.load() && next.operations == [FoaasWorld.gift, FoaasWorld.version])
    }

    @Test("load() delivers nothing older than seven days")
    func expired() throws {
        defer { clean() }
        try manager().save(operations: [FoaasWorld.gift])
        date.advance(by: Duration.days(7).timeInterval - 1)
        #expect(try manager().load())
        date.advance(by: 1)
        #expect(!(try manager().load()))
    }

    @Test("deleteStoredOperations() leaves nothing, stored or known")
    func delete() throws {
        defer { clean() }
        let manager = try manager()
        manager.save(operations: [FoaasWorld.gift])
        manager.deleteStoredOperations()
        #expect(manager.operations == nil && !manager.load())
        #expect(UserDefaults(suiteName: suite)?.object(forKey: "FoaasOperationsKey") == nil)
    }

    @Test("Foreign data under the key is no operation, and is left alone until something is saved")
    func foreign() throws {
        defer { clean() }
        let defaults = try #require(UserDefaults(suiteName: suite))
        for value in ["a text" as Any, Data("bytes".utf8), [1, 2]] {
            defaults.set(value, forKey: "FoaasOperationsKey")
            let manager = try manager()
            #expect(!manager.load() && manager.operations == nil)
            #expect(defaults.object(forKey: "FoaasOperationsKey") != nil)
            #expect(manager.save(operations: [FoaasWorld.version]) && manager.load())
        }
    }

    @Test("What is stored is loaded before the remote is asked; what the remote gives is stored")
    func storedFirst() async throws {
        defer { clean() }
        let world = FoaasWorld(.operations())
        FoaasAPIManager.configure(world.service)
        #expect(try await manager().loadOrRequest() == [FoaasWorld.awesome, FoaasWorld.gift])
        #expect(world.paths == ["/operations"])
        // The script has ended: were the remote asked again, this would fail.
        #expect(try await manager().loadOrRequest() == [FoaasWorld.awesome, FoaasWorld.gift])
        #expect(world.paths.count == 1)
    }

    @Test("shared is one instance, over the standard defaults")
    func shared() {
        #expect(FoaasDataManager.shared === FoaasDataManager.shared)
        #expect(FoaasDataManager.operationsKey == "FoaasOperationsKey")
    }
}
