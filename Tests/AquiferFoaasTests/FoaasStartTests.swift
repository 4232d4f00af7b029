import Aquifer
import AquiferConcurrency
import AquiferTesting
import AquiferUserDefaults
import Foundation
import Testing

@testable import AquiferFoaas

/// "Keep your calls to the AppDelegate", and "Check to see if you can load stored [FoaasOperation] before you attempt to
/// make an API call to store them" (document 003).
@Suite("An app with phrases starts", .timeLimit(.minutes(10)))
struct FoaasStartTests {
    private let domain = TemporaryDefaults()
    private let center = NotificationCenter()
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))

    private func manager() -> FoaasDataManager {
        FoaasDataManager(UserDefaultsStore(domain.open()), center: center, now: date.read)
    }

    private func service(_ client: ScriptedHTTPClient, _ manager: FoaasDataManager) throws -> FoaasService {
        FoaasService(
            base: try #require(URL(string: "http://foaas.example")), client: client, store: MemoryStore(),
            ownStore: MemoryStore(), manager: manager, now: date.read)
    }

    /// The names of the operations of each notification so far.
    private func posts() -> (names: Locked<[[String]]>, token: any NSObjectProtocol) {
        let names = Locked<[[String]]>([])
        let token = center.addObserver(forName: .foaasOperationsDidUpdate, object: nil, queue: nil) { notification in
            let info = notification.userInfo?["info"] as? [[String: Any]] ?? []
            names.withLock { $0.append(info.map { $0["name"] as? String ?? "?" }) }
        }
        return (names, token)
    }

    @Test("stored operations first: nothing is requested, and the screens are told")
    func storedFirst() async throws {
        manager().save(operations: [FoaasWorld.gift])
        let posts = posts()
        defer { center.removeObserver(posts.token) }
        let client = ScriptedHTTPClient([])
        let next = manager()
        let service = try service(client, next)
        let list = try await next.loadOrRequest { () async throws(LoadError) in try await service.loadOperations() }
        #expect(list == [FoaasWorld.gift] && next.operations == list)
        #expect(client.requests.isEmpty)
        #expect(posts.names.withLock { $0 } == [["Gift"]])
    }

    @Test("then the request: what the remote gives is stored for the next start, and the screens are told")
    func requestSecond() async throws {
        let posts = posts()
        defer { center.removeObserver(posts.token) }
        let client = ScriptedHTTPClient([.operations()])
        let manager = manager()
        let service = try service(client, manager)
        let list = try await manager.loadOrRequest { () async throws(LoadError) in try await service.loadOperations() }
        #expect(list == [FoaasWorld.awesome, FoaasWorld.gift] && client.requests.count == 1)
        #expect(posts.names.withLock { $0 } == [["Awesome", "Gift"]])
        let next = self.manager()
        #expect(next.load() && next.operations == list)
    }

    @Test("with an error when nothing is stored and there is no connection, and nobody is told of operations")
    func nothing() async throws {
        let posts = posts()
        defer { center.removeObserver(posts.token) }
        let manager = manager()
        let service = try service(ScriptedHTTPClient([.refused]), manager)
        let error = await failure { () async throws(LoadError) in
            try await manager.loadOrRequest { () async throws(LoadError) in try await service.loadOperations() }
        }
        #expect(error?.reason == .connectivity && manager.operations == nil && !manager.load())
        #expect(posts.names.withLock { $0 }.isEmpty)
    }

    @Test("and a phrase then needs the stored operations only; a list that is loaded stores the latest")
    func phrases() async throws {
        let client = ScriptedHTTPClient([.phrase("One", "-"), .operations(), .phrase("Two", "-")])
        let manager = manager()
        manager.save(operations: [FoaasWorld.version])
        let service = try service(client, manager)
        #expect(try await service.anyPhrase().message == "One")
        #expect(client.requests.map(\.url.path) == ["/version"])
        #expect(try await service.loadOperations().value.operations.count == 2)
        let next = self.manager()
        #expect(next.load() && next.operations == [FoaasWorld.awesome, FoaasWorld.gift])
        #expect(try await service.knownOperations().operations == next.operations)
        #expect(client.requests.count == 2)
    }

    @MainActor
    @Test("and a list that could not be loaded is loaded when it is told that the operations are known")
    func toldList() async throws {
        let service = try service(ScriptedHTTPClient([.refused, .operations()]), manager())
        let model = FoaasOperationsModel(service, center: center)
        await model.list.appear()
        #expect(model.list.phase == .failed && model.operations.isEmpty)
        center.postFoaasOperations([FoaasWorld.awesome])
        #expect(await eventually { model.operations == [FoaasWorld.awesome, FoaasWorld.gift] })
    }
}

@Suite("A call that is made before the app has configured FoaasAPIManager", .timeLimit(.minutes(10)))
struct FoaasSettingTests {
    private let clock = ManualClock()
    private let setting: FoaasSetting

    init() { setting = FoaasSetting(clock: clock) }

    /// The result of a call that is made now: the server that is asked, or the error.
    private func call() -> Task<Result<URL, LoadError>, Never> {
        Task {
            do throws(LoadError) { return .success(try await setting.service().base) } catch {
                return .failure(error)
            }
        }
    }

    @Test("waits, and is answered as soon as it is configured")
    func waits() async {
        let calls = [call(), call()]
        #expect(await eventually { setting.waiters == 2 })
        let world = FoaasWorld()
        setting.set(world.service)
        for call in calls { #expect(await call.value == .success(world.base)) }
        #expect(await call().value == .success(world.base))
    }

    @Test("is told what to do when that has not happened for ten seconds")
    func bound() async {
        let call = call()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let outcome = await call.value
        guard case .failure(.connectivity(let reason)) = outcome else {
            Issue.record("is \(outcome)")
            return
        }
        #expect("\(reason)".contains("FoaasAPIManager.configure(_:)"))
        #expect(setting.waiters == 0)
    }

    @Test("waits in each form of the manager's calls, and is answered as soon as the app configures it")
    func manager() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.path == "/operations" ? .operations() : .phrase("One", "-")
        }
        let world = FoaasWorld()
        let url = world.base.appending(path: "version")
        let phrase = Locked<[Foaas?]>([])
        let list = Locked<[[FoaasOperation]?]>([])
        try await FoaasAPIManager.$setting.withValue(setting) { () async throws in
            async let first = FoaasAPIManager.getFoaas(url: url)
            async let second = FoaasAPIManager.getOperations()
            FoaasAPIManager.getFoaas(url: url) { found in phrase.withLock { $0.append(found) } }
            FoaasAPIManager.getOperations { found in list.withLock { $0.append(found) } }
            #expect(await eventually { setting.waiters == 4 })
            #expect(client.requests.isEmpty && phrase.withLock { $0.isEmpty } && list.withLock { $0.isEmpty })
            FoaasAPIManager.configure(client: client, store: MemoryStore())
            #expect(try await first.message == "One")
            #expect(try await second == [FoaasWorld.awesome, FoaasWorld.gift])
            #expect(await eventually { phrase.withLock { !$0.isEmpty } && list.withLock { !$0.isEmpty } })
        }
        #expect(phrase.withLock { $0.map { $0?.message } } == ["One"])
        #expect(list.withLock { $0 } == [[FoaasWorld.awesome, FoaasWorld.gift]])
    }

    @Test("is nil in the completion forms when that has not happened for ten seconds, and not before")
    func managerBound() async throws {
        let answers = Locked<[Foaas?]>([])
        let url = FoaasWorld().base
        await FoaasAPIManager.$setting.withValue(setting) {
            FoaasAPIManager.getFoaas(url: url) { found in answers.withLock { $0.append(found) } }
            await clock.waitForSleepers()
            #expect(answers.withLock { $0.isEmpty })
            clock.advance(by: .seconds(10))
            #expect(await eventually { answers.withLock { $0.count == 1 } })
        }
        #expect(answers.withLock { $0 } == [nil])
    }

    @Test("ends when its task is cancelled")
    func cancelled() async {
        let call = call()
        #expect(await eventually { setting.waiters == 1 })
        call.cancel()
        #expect(await call.value == .failure(.cancelled))
        #expect(setting.waiters == 0)
    }
}
