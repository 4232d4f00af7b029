import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

@MainActor
@Suite("The names of an account's files on the server", .timeLimit(.minutes(10)))
struct ObjectNamesTests {
    private func model(_ world: DriveWorld) -> ObjectNamesModel {
        ObjectNamesModel(world.service, account: world.account)
    }

    @Test("are asked for when the user wants them and not before, and nothing is saved")
    func asked() async throws {
        let world = DriveWorld(["list-objects": [.json(#"{"keys":["b.txt","a.txt"]}"#)]])
        let model = model(world)
        #expect(model.phase == .idle && world.requests("list-objects").isEmpty)
        await model.load(beside: ["a.txt"])
        #expect(model.phase == .loaded && model.names == ["b.txt", "a.txt"] && model.error == nil)
        #expect(world.requests("list-objects").map { $0.json["storageAccount"] as? String } == ["\(world.account)"])
        #expect(try await world.store.contents() == StoreContents(entries: [], damaged: []))
        model.forget()
        #expect(model.phase == .idle && model.names.isEmpty)
    }

    @Test("that could not be loaded are told with the reason, and can be asked for again")
    func failed() async {
        let world = DriveWorld(["list-objects": [.offline, .json(#"{"keys":["a.txt"]}"#)]])
        let model = model(world)
        await model.load(beside: [])
        #expect(model.phase == .failed && model.names.isEmpty)
        guard case .connectivity = model.error else {
            Issue.record("\(String(describing: model.error))")
            return
        }
        await model.load(beside: [])
        #expect(model.phase == .loaded && model.names == ["a.txt"] && model.error == nil)
    }

    @Test("are none when the server fails as it does for an account without files, and the list is empty, too")
    func none() async {
        let model = model(DriveWorld())
        await model.load(beside: [])
        #expect(model.phase == .loaded && model.names.isEmpty && model.error == nil)
        await model.load(beside: ["a.txt"])
        #expect(model.phase == .failed, "beside a list with files the same failure is one")
    }

    @Test("that arrive after they were given up are dropped; while they are asked for, nothing is asked twice")
    func late() async {
        let client = ScriptedHTTPClient()
        let world = DriveWorld(client: client)
        let model = model(world)
        let asking = Task { await model.load(beside: []) }
        let exchange = await client.exchange(0)
        #expect(model.phase == .loading)
        await model.load(beside: [])
        #expect(world.client.requests.count == 1)
        model.forget()
        exchange.respond(body: Data(#"{"keys":["a.txt"]}"#.utf8))
        await asking.value
        #expect(model.phase == .idle && model.names.isEmpty)
    }
}
