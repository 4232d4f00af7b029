import Aquifer
import AquiferCurl
import AquiferSQLite
import AquiferWording
import Foundation

// TwoScreens ADDRESS DATABASE NAME: two screens show one list of names. The first one adds a name, and both show it.

guard CommandLine.arguments.count == 4, let address = URL(string: CommandLine.arguments[1]) else {
    print("usage: TwoScreens ADDRESS DATABASE NAME")
    exit(64)
}
let added = CommandLine.arguments[3]
let cache = Cache<[String]>(key: "names", in: try SQLiteStore(file: URL(filePath: CommandLine.arguments[2])))
let names = Resource(
    remote: RemoteLoader(HTTPRequest(.get, address), client: CurlHTTPClient(), map: JSONMapper<[String]>().map),
    cache: cache)

/// A screen: it shows each state, whoever changes it, until it has shown the new name.
func appear(_ show: @escaping @Sendable ([String]) -> String) async {
    for await state in names.updates {
        print(state.map { show($0.value) } ?? "nothing yet")
        if state?.value.contains(added) == true { return }
    }
}

await withTaskGroup(of: Void.self) { screens in
    screens.addTask { await appear { $0.joined(separator: ", ") } }
    screens.addTask { await appear { "\($0.count) names" } }
    do {
        _ = try await names.load()
        // An app sends the name first: `amend` changes the saved copy only, and the next load brings the server's list.
        // For a change that may have to wait for a connection there is `EditableResource`.
        try await cache.amend { $0 + [added] }
    } catch {
        print((error as? LoadError)?.message(in: .english) ?? "\(error)")
        screens.cancelAll()
    }
}
