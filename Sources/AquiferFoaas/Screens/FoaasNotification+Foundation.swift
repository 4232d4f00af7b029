import Foundation

extension Notification.Name {
    /// A phrase was made on the preview, for the main screen to show.
    public static let foaasObjectDidUpdate = Notification.Name("FoaasObjectDidUpdate")
    /// The operations that an app starts with are known.
    public static let foaasOperationsDidUpdate = Notification.Name("FoaasOperationsDidUpdate")
}

extension NotificationCenter {
    /// Tells the main screen of a phrase: under `userInfo["info"]`, in the remote's field names. Its operation, if it is
    /// known, is under `userInfo["operation"]`.
    public func post(_ phrase: Foaas, of operation: FoaasOperation? = nil) {
        let info: [String: Any] = phrase.toJson()
        var told: [String: Any] = ["info": info]
        if let operation { told["operation"] = operation.toJson() as [String: Any] }
        post(name: .foaasObjectDidUpdate, object: nil, userInfo: told)
    }

    /// Tells the screens of the operations: under `userInfo["info"]`, in the remote's field names.
    public func postFoaasOperations(_ operations: [FoaasOperation]) {
        let info: [[String: Any]] = operations.map { $0.toJson() }
        post(name: .foaasOperationsDidUpdate, object: nil, userInfo: ["info": info])
    }

    /// Calls `show`, soon, each time that operations have become known.
    @MainActor
    func observeFoaasOperations(_ show: @escaping @MainActor @Sendable () -> Void) -> FoaasObservation {
        let token = addObserver(forName: .foaasOperationsDidUpdate, object: nil, queue: nil) { _ in
            Task { @MainActor in show() }
        }
        return FoaasObservation(token, of: self)
    }

    /// Calls `show` with each phrase that is posted from now on, in their order and soon, until the observation is let go.
    @MainActor
    func observePhrases(
        _ show: @escaping @MainActor @Sendable (Foaas, FoaasOperation?) -> Void
    ) -> FoaasObservation {
        let token = addObserver(forName: .foaasObjectDidUpdate, object: nil, queue: nil) { notification in
            guard let info = notification.userInfo?["info"] as? [String: Any],
                let phrase = Foaas(json: info.mapValues { $0 as AnyObject })
            else { return }
            let operation = (notification.userInfo?["operation"] as? [String: Any])
                .flatMap { FoaasOperation(json: $0.mapValues { $0 as AnyObject }) }
            // Posted on any thread. On Linux the main actor's thread cannot be told from others, so it is never at once.
            Task { @MainActor in show(phrase, operation) }
        }
        return FoaasObservation(token, of: self)
    }
}

/// An observer; ends with its owner.
final class FoaasObservation: @unchecked Sendable {
    // Both are only handed back to the centre, which may be called from any thread.
    private let token: any NSObjectProtocol
    private let center: NotificationCenter

    init(_ token: any NSObjectProtocol, of center: NotificationCenter) {
        self.token = token
        self.center = center
    }

    deinit { center.removeObserver(token) }
}
