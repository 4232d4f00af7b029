import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation

/// The names on the server as the page of an account draws them, compared with the list that it shows.
struct ObjectNames: Codable, Sendable {
    enum Phase: String, Codable, Sendable, CaseIterable { case idle, loading, loaded, failed }

    struct Name: Codable, Sendable {
        let name: String
        /// True if the list that the page shows has a file of this name.
        let isShown: Bool
    }

    let phase: Phase
    let names: [Name]
    /// The names in the list that the server lacks.
    let missing: [String]
    @OrNull var error: String?

    @MainActor
    init(_ model: ObjectNamesModel, beside shown: [String], _ language: Language) {
        phase =
            switch model.phase {
            case .idle: .idle
            case .loading: .loading
            case .loaded: .loaded
            case .failed: .failed
            }
        // Names are compared by their bytes: two forms of one letter make two names.
        let (here, there) = (Set(shown.map { Data($0.utf8) }), Set(model.names.map { Data($0.utf8) }))
        let then = model.compared
        let lacking = shown.filter { !there.contains(Data($0.utf8)) && then.contains(Data($0.utf8)) }
        missing = model.phase == .loaded ? lacking.sorted() : []
        // What was deleted since the server was asked is on neither side.
        let present = model.names.filter { here.contains(Data($0.utf8)) || !then.contains(Data($0.utf8)) }
        names = present.map { Name(name: $0, isShown: here.contains(Data($0.utf8))) }
        _error = OrNull(wrappedValue: model.error?.message(in: language))
    }
}
