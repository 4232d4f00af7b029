import Aquifer
import Foundation
import ImageFeed
import SwiftUI

/// The list of the feed: its notice, its items, and its end, which loads the next page.
struct FeedScreen: View {
    @State private var feed: FeedModel
    private let pictures: DataLoader

    init(_ service: FeedService) {
        _feed = State(initialValue: FeedModel(service))
        pictures = service.pictures
    }

    var body: some View {
        NavigationStack {
            List {
                FeedNotice(list: feed.list)
                ForEach(feed.items) { item in
                    FeedRow(item: item, pictures: pictures)
                        .task { if item == feed.items.last { await feed.loadMore() } }
                }
                FeedEnd(feed: feed)
            }
            .overlay { if feed.isEmpty { Text("There are no pictures yet.") } }
            .navigationTitle("Feed")
            .refreshable { await feed.refresh() }
            .task { await feed.appear() }
        }
    }
}

/// The age of a saved copy and the reason why it is shown, or the error when there is nothing to show.
struct FeedNotice: View {
    let list: ResourceModel<[FeedItem]>

    var body: some View {
        if case .cache(let savedAt, let reason) = list.source {
            switch reason {
            case .connectivity: Text("You’re offline. Saved \(savedAt, style: .relative) ago.")
            case .invalidData: Text("The server’s answer could not be read. Saved \(savedAt, style: .relative) ago.")
            case nil: Text("Saved \(savedAt, style: .relative) ago.")
            }
        }
        if let error = list.error {
            Text(error.reason == .connectivity ? "You’re offline, and nothing is saved." : "The feed cannot be shown.")
        }
    }
}

/// The end of the list: a further page on its way, an offer to try again, or nothing.
struct FeedEnd: View {
    let feed: FeedModel

    var body: some View {
        switch feed.more {
        case .loading: ProgressView()
        case .failed: Button("Try again") { Task { await feed.loadMore() } }
        case .idle, .end: EmptyView()
        }
    }
}
