import Aquifer
import AquiferPayments
import Foundation

/// The news for the frame around all screens. They come with the states of each screen.
struct ShellNews: Codable, Sendable {
    /// The number of payments whose outcome is unknown.
    let unresolved: Int
    /// The payment whose outcome was found last without anybody asking.
    @OrNull var found: Found?
    /// The state of this machine's network: a page that hears another one asks for the state of the connection.
    let network: String

    struct Found: Codable, Sendable {
        let id: UUID
        let text: String
    }
}

/// The state of a screen and the news, as a stream sends them.
struct ShownState: Sendable {
    /// Makes the state's JSON.
    let state: @Sendable () -> String
    let news: String
}

extension ScreenHub {
    /// The news as JSON.
    func news(_ context: ScreenContext) -> String {
        let found = glance.found.map { ShellNews.Found(id: $0.id, text: $0.result(context.language)) }
        return WireJSON.text(
            ShellNews(unresolved: glance.unresolved.count, found: found, network: network.state.rawValue))
    }
}
