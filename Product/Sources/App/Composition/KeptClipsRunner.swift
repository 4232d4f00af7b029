import Aquifer
import AquiferAudioFeed

/// Renews the clips that the user keeps for as long as the server runs, so that they do not expire while there is a
/// connection.
@MainActor
final class KeptClipsRunner {
    /// The pause between two renewals.
    static let pause = Duration.seconds(3_600)

    private let service: AudioFeedService
    private let clock: any Clock<Duration>
    private var task: Task<Void, Never>?

    init(_ service: AudioFeedService, clock: any Clock<Duration> = ContinuousClock()) {
        self.service = service
        self.clock = clock
    }

    /// Starts renewing.
    func start() {
        guard task == nil else { return }
        task = Task { [service, clock] in
            while !Task.isCancelled {
                await service.renewKept()
                // Sleeping throws only when the task was cancelled.
                try? await clock.sleep(for: Self.pause)
            }
        }
    }

    /// Stops renewing, and returns when no request is under way any more.
    func stop() async {
        task?.cancel()
        await task?.value
        task = nil
    }
}
