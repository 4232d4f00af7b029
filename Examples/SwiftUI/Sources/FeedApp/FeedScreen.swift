import Aquifer
import AquiferImageFeed
import Foundation
import SwiftUI

/// The list of the feed: its notice, its items, and its end, which loads the next page.
struct FeedScreen: View {
    @State private var feed: FeedModel
    private let pictures: DataLoader

    private var rows: [FeedLine] {
        feed.pages.flatMap { page in
            page.items.enumerated().map { FeedLine(item: $1, gap: $0 == 0 ? page.gap : nil) }
        }
    }

    init(_ service: FeedService) {
        _feed = State(initialValue: FeedModel(service))
        pictures = service.pictures
    }

    var body: some View {
        NavigationStack {
            List {
                FeedNotice(list: feed.list)
                ForEach(rows) { row in
                    if let gap = row.gap { FeedGap(feed: feed, gap: gap) }
                    FeedRow(item: row.item, pictures: pictures)
                        .task { if row.id == rows.last?.id { await feed.loadMore() } }
                }
                FeedEnd(feed: feed)
            }
            .overlay { if feed.isEmpty { Text("There are no pictures yet.") } }
            .navigationTitle("Feed")
            .refreshable { await feed.refresh() }
            .task { await feed.appear() }
            // What was shown is lost, such as a copy that has expired.
            .onChange(of: feed.list.phase) { _, phase in
                if phase == .idle { Task { await feed.appear() } }
            }
        }
    }
}

/// An item of the feed, and the gap before it.
struct FeedLine: Identifiable {
    let item: FeedItem
    var gap: PageGap?
    var id: UUID { item.id }
}

/// A place where pictures may be missing, with an offer to load them.
struct FeedGap: View {
    let feed: FeedModel
    let gap: PageGap

    var body: some View {
        switch feed.state(of: gap) {
        case .loading: ProgressView()
        default: Button("There are more pictures in between") { Task { await feed.fill(gap) } }
        }
    }
}

/// The age of a saved copy and the reason why it is shown, or the error when there is nothing to show.
struct FeedNotice: View {
    let list: ResourceModel<PagedList<FeedItem>>

    var body: some View {
        if case .cache(let savedAt, let error) = list.source {
            if let trouble = error?.trouble { Text(words(for: trouble)) }
            Text("Saved \(savedAt, style: .relative) ago.")
        }
        if let error = list.error {
            if let trouble = error.trouble { Text(words(for: trouble)) }
            Text("The feed cannot be shown.")
        }
    }
}

/// The trouble with the server. The module `AquiferWording` has these words ready, in several languages.
func words(for trouble: RemoteTrouble) -> String {
    switch trouble {
    case .offline: "You’re offline."
    case .unreachable: "The server can’t be reached."
    case .insecure: "A secure connection to the server couldn’t be made."
    case .timedOut: "The server took too long to answer."
    case .noAnswer: "The server’s answer didn’t arrive."
    case .serverFailed: "The server has a problem."
    case .denied: "You don’t have access to this on the server."
    case .missing: "This isn’t on the server."
    case .notUnderstood: "The server’s answer couldn’t be understood."
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
