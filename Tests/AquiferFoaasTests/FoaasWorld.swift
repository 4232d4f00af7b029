import Aquifer
import AquiferTesting
import Foundation

@testable import AquiferFoaas

/// Phrases with remote, store and clock under a test's control.
struct FoaasWorld {
    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())
    let own = FaultyStore(RepeatingStore())
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let base = URL(string: "http://foaas.example/api")!
    let service: FoaasService

    init(_ replies: ScriptedHTTPClient.Reply...) { self.init(client: ScriptedHTTPClient(replies)) }

    init(client: ScriptedHTTPClient) {
        self.client = client
        service = FoaasService(
            base: base, client: client, store: store, ownStore: own, now: date.read, random: { $0 - 1 })
    }

    /// The paths that the remote was asked for, below its base.
    var paths: [String] {
        client.requests.map { String($0.url.absoluteString.dropFirst(base.absoluteString.count)) }
    }

    static let awesome = FoaasOperation(
        name: "Awesome", url: "/awesome/:from", fields: [FoaasField(name: "From", field: "from")])
    static let gift = FoaasOperation(
        name: "Gift", url: "/gift/:name/:thing/:from",
        fields: [
            FoaasField(name: "Thing", field: "thing"), FoaasField(name: "From", field: "from"),
            FoaasField(name: "Name", field: "name"),
        ])
    static let version = FoaasOperation(name: "Version", url: "/version", fields: [])
}

extension ScriptedHTTPClient.Reply {
    static func json(_ text: String, status: Int = 200) -> Self {
        .answer(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }

    static func phrase(_ message: String = "This is damn awesome.", _ subtitle: String = "- louis") -> Self {
        .json(#"{"message":"\#(message)","subtitle":"\#(subtitle)"}"#)
    }

    static func operations(_ operations: [FoaasOperation] = [FoaasWorld.awesome, FoaasWorld.gift]) -> Self {
        // Models of tests always encode.
        .json(String(decoding: (try? FoaasDataManager.codec.encode(operations)) ?? Data(), as: UTF8.self))
    }

    static let html = Self.answer(
        headers: ["Content-Type": "text/html; charset=utf-8"], body: Data("<html><body>Hello</body></html>".utf8))

    static let refused = Self.failure(TransportError(.cannotConnect, "refused"))
}
