import Aquifer
import AquiferImageFeed
import Foundation
import SwiftUI

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// One picture of the feed, with who posted it and when, its place, its words, and the number of its comments.
struct FeedRow: View {
    let item: FeedItem
    @State private var picture: PictureModel

    init(item: FeedItem, pictures: DataLoader) {
        self.item = item
        _picture = State(initialValue: PictureModel(item, from: pictures))
    }

    var body: some View {
        VStack(alignment: .leading) {
            if let author = item.author { Text(verbatim: author) }
            if let date = item.createdAt { Text("\(date, style: .relative) ago").font(.caption) }
            if let location = item.location { Text(verbatim: location).font(.caption) }
            place.frame(maxWidth: .infinity, minHeight: 200)
            if let description = item.description { Text(verbatim: description) }
            // A remote that does not tell the number has not said that there are none.
            if let count = item.commentCount {
                Text(verbatim: count == 1 ? "1 comment" : "\(count) comments").font(.caption)
            }
        }
        .onAppear { picture.appear() }
        .onDisappear { picture.disappear() }
    }

    @ViewBuilder private var place: some View {
        switch picture.phase {
        case .idle, .loading: ProgressView()
        case .loaded(let bytes): image(bytes)
        case .failed: Button("Try again") { picture.retry() }
        }
    }

    @ViewBuilder private func image(_ bytes: Data) -> some View {
        #if canImport(UIKit)
            if let image = UIImage(data: bytes) { Image(uiImage: image).resizable().scaledToFit() }
        #elseif canImport(AppKit)
            if let image = NSImage(data: bytes) { Image(nsImage: image).resizable().scaledToFit() }
        #else
            // Scripts/check-apple has neither module.
            Text(verbatim: "\(bytes.count)")
        #endif
    }
}
