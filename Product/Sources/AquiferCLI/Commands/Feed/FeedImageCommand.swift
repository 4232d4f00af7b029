import App
import Aquifer
import AquiferImageFeed
import Foundation

/// `aquifer feed image ID -o FILE`.
struct FeedImageCommand: CommandHandler {
    private let call: CommandCall
    private let image: UUID
    private let output: String

    init(_ call: CommandCall) throws(CommandError) {
        image = try call.pictureID()
        output = try call.arguments.output(for: "picture")
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services(patience: nil)
        let item = try await find(services)
        let missing = "the server does not have the picture \(image.uuidString) any more; choose another one"
        let loaded = try await call.console.loading(call.options, ifMissing: missing) { () async throws(LoadError) in
            try await services.feed.pictures.data(for: item.image)
        }
        let file = try OutputFile(output, call.console)
        try file.write(loaded.value)
        try file.finish()
        file.report(call.options) { file in ResultDocument(loaded) { _ in file } }
        return .delivered
    }

    /// The item of the picture: from the saved items, else from all items of the remote.
    private func find(_ services: Services) async throws(CommandError) -> FeedItem {
        // A saved copy that cannot be read is ignored, because the remote may answer.
        if let saved = try? await services.feed.feed.saved(), let item = saved.value.first(where: { $0.id == image }) {
            return item
        }
        do throws(LoadError) {
            let loaded = try await services.feed.feed.load()
            var page = loaded.value
            var seen = page
            while !page.isEmpty {
                if let item = page.first(where: { $0.id == image }) { return item }
                guard loaded.source == .remote else { break }
                page = try await services.feed.page(after: seen).value
                seen += page
            }
        } catch {
            throw CommandError(error)
        }
        throw .notFound("no picture \(image.uuidString) is in the feed; aquifer feed list --all shows those that are")
    }
}
