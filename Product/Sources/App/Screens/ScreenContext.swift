import Aquifer
import AquiferWording
import Foundation

/// The context in which a screen describes its state for the page. All texts are chosen here.
struct ScreenContext: Sendable {
    let language: Language
    let now: Date
    /// Makes an address that the browser can load by itself (``SignedAddresses``).
    var sign: @Sendable (String) -> String = { $0 }

    /// The progress of a resource, for the state of every screen that loads one.
    @MainActor
    func progress<Value>(of model: ResourceModel<Value>) -> LoadProgress {
        LoadProgress(
            phase: LoadPhase(model.phase), isLoading: model.isLoading, notice: notice(of: model),
            error: model.error.map { error in
                let isBesideValue = model.value != nil
                return ScreenError(
                    kind: error.kind,
                    message: isBesideValue ? error.refreshMessage(in: language) : error.message(in: language))
            })
    }

    @MainActor
    private func notice<Value>(of model: ResourceModel<Value>) -> String? {
        let notices = [
            model.source?.notice(in: language, now: now) ?? model.saveError?.saveMessage(in: language),
            model.pendingError?.pendingMessage(in: language),
        ].compactMap(\.self)
        return notices.isEmpty ? nil : notices.joined(separator: " ")
    }
}

/// The progress of a resource.
struct LoadProgress {
    var phase = LoadPhase.loaded
    var isLoading = false
    /// A remark about the value that is shown, such as that it is a saved copy.
    var notice: String?
    var error: ScreenError?
}

/// The phase of a screen that loads something.
enum LoadPhase: String, Codable, Sendable, CaseIterable {
    case idle
    case loading
    case loaded
    case failed

    init<Value>(_ phase: ResourceModel<Value>.Phase) {
        self =
            switch phase {
            case .idle: .idle
            case .loading: .loading
            case .loaded: .loaded
            case .failed: .failed
            }
    }
}

/// An error as pages show it.
struct ScreenError: Codable, Sendable {
    /// The kind of the error, which decides about the page's picture and its way out.
    let kind: String
    /// The error in the user's language.
    let message: String
}

extension LoadError {
    /// The name of the error's kind, for pages and programs.
    var kind: String {
        switch self {
        case .connectivity: "connectivity"
        case .invalidData: "invalidData"
        case .store: "store"
        case .cancelled: "cancelled"
        }
    }
}
