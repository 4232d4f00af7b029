import Aquifer
import AquiferFoundation
import Observation

/// One picture on the screen: loaded when near, cancelled when gone, tried again when it failed.
@MainActor @Observable
public final class PictureModel {
    /// The content of the picture's place.
    public enum Phase: Sendable, Hashable {
        /// Nothing: it is far away.
        case idle
        /// A shimmer: the bytes are on their way.
        case loading
        /// The picture.
        case loaded(Data)
        /// An offer to try again.
        case failed(LoadError)
    }

    /// The content of the picture's place.
    public private(set) var phase: Phase = .idle

    @ObservationIgnored private let load: @Sendable () async throws(LoadError) -> Data
    @ObservationIgnored private var task: Task<Void, Never>?

    /// The picture of an item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - pictures: loads the picture.
    ///   - width: the width of its place in pixels; by default, the whole picture is wanted.
    public convenience init(_ item: FeedItem, from pictures: DataLoader, width: Int = .max) {
        self.init { () async throws(LoadError) in try await pictures.picture(of: item, width: width).value }
    }

    /// A picture loaded in this way.
    public init(load: @escaping @Sendable () async throws(LoadError) -> Data) {
        self.load = load
    }

    /// The picture will soon be visible: loads it ahead.
    public func comeNear() { start() }

    /// The picture is visible: loads it, unless that was begun when it came near.
    public func appear() { start() }

    /// The picture is out of the screen, and not near it: a load that runs is cancelled; a picture that came stays.
    public func disappear() {
        task?.cancel()
        task = nil
        if phase == .loading { phase = .idle }
    }

    /// Tries again after a failure.
    public func retry() {
        guard case .failed = phase else { return }
        phase = .idle
        start()
    }

    /// Returns when no load runs.
    public func settled() async {
        await task?.value
    }

    private func start() {
        guard phase == .idle else { return }
        phase = .loading
        let load = load
        task = Task { [weak self] in
            let outcome: Result<Data, LoadError>
            do throws(LoadError) { outcome = .success(try await load()) } catch { outcome = .failure(error) }
            guard !Task.isCancelled else { return }
            self?.finish(outcome)
        }
    }

    private func finish(_ outcome: Result<Data, LoadError>) {
        switch outcome {
        case .success(let data): phase = .loaded(data)
        case .failure(.cancelled): phase = .idle
        case .failure(let error): phase = .failed(error)
        }
        task = nil
    }
}
