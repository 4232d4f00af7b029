import Aquifer
import AquiferWording
import Testing

@Suite("Errors for users")
struct UserFacingErrorTests {
    @Test("Another try is offered after what may pass by itself")
    func retryable() {
        let errors: [any UserFacingError] = [
            TransportError(.offline), LoadError.connectivity(TransportError(.timedOut)),
            LoadError.invalidData(.status(408)), LoadError.invalidData(.status(429)),
            LoadError.invalidData(.status(503)),
            LoadError.store(.busy(path: "/"), after: .connectivity),
            DownloadError.connectivity(TransportError(.interrupted)), DownloadError.invalidData(.status(500)),
            DownloadError.store(.busy(path: "/")),
        ]
        for error in errors {
            #expect(error.isRetryable, "\(error)")
            #expect(!error.message(in: .english).isEmpty)
        }
    }

    @Test("No other try is offered after what stays as it is, and after the user left")
    func final() {
        let errors: [any UserFacingError] = [
            TransportError(.unsupportedURL), LoadError.invalidData(.status(404)),
            LoadError.invalidData(.body("is null")),
            LoadError.invalidData(.unusable(.bodyTooLarge(limit: 1))),
            LoadError.store(.busy(path: "/"), after: .invalidData),
            LoadError.store(.ended(scope: "user/42"), after: .connectivity),
            LoadError.invalidData(.unusable(TransportError(.unauthorized))), DownloadError.invalidData(.mediaType(nil)),
            DownloadError.store(.full(path: "/")),
        ]
        for error in errors {
            #expect(!error.isRetryable, "\(error)")
            #expect(!error.message(in: .english).isEmpty)
        }
        let (out, ended) = (
            LoadError.store(.ended(scope: "user/42"), after: .connectivity), TransportError(.unauthorized)
        )
        #expect(out.message(in: .english) == "You’re logged out. Log in again." && !out.isUnauthorized)
        #expect(LoadError.invalidData(.unusable(ended)).message(in: .english) == "Your login has ended. Log in again.")
        #expect(LoadError.invalidData(.unusable(ended)).isUnauthorized)
        let left: [any UserFacingError] = [TransportError.cancelled, LoadError.cancelled, DownloadError.cancelled]
        for error in left { #expect(!error.isRetryable && error.message(in: .english).isEmpty) }
    }
}
