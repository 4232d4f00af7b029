import Foundation

extension Notification.Name {
    /// A phrase was made on the preview, for the main screen to show.
    public static let foaasObjectDidUpdate = Notification.Name("FoaasObjectDidUpdate")
}

extension NotificationCenter {
    /// Tells the main screen of a phrase: under `userInfo["info"]`, in the remote's field names.
    public func post(_ phrase: Foaas) {
        let info: [String: Any] = phrase.toJson()
        post(name: .foaasObjectDidUpdate, object: nil, userInfo: ["info": info])
    }

    /// Calls `show` with each phrase that is posted from now on, in their order and soon, until the observation is let go.
    @MainActor
    func observePhrases(_ show: @escaping @MainActor @Sendable (Foaas) -> Void) -> PhraseObservation {
        let token = addObserver(forName: .foaasObjectDidUpdate, object: nil, queue: nil) { notification in
            guard let info = notification.userInfo?["info"] as? [String: Any],
                let phrase = Foaas(json: info.mapValues { $0 as AnyObject })
            else { return }
            // Posted on any thread. On Linux the main actor's thread cannot be told from others, so it is never at once.
            Task { @MainActor in show(phrase) }
        }
        return PhraseObservation(token, of: self)
    }
}

/// An observer of phrases; ends with its owner.
final class PhraseObservation: @unchecked Sendable {
    // Both are only handed back to the centre, which may be called from any thread.
    private let token: any NSObjectProtocol
    private let center: NotificationCenter

    init(_ token: any NSObjectProtocol, of center: NotificationCenter) {
        self.token = token
        self.center = center
    }

    deinit { center.removeObserver(token) }
}
