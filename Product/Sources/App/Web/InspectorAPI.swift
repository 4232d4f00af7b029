import Aquifer
import AquiferWording
import Foundation
import HTTPServer

/// The inspector page's requests: list what is saved, validate, delete.
struct InspectorAPI: Sendable {
    let services: Services

    func add(to router: inout Router) {
        router.on("GET", "/api/inspector") { request, _ in await list(request) }
        router.on("POST", "/api/inspector/validate") { _, _ in await validate() }
        router.on("DELETE", "/api/inspector/entries") { request, _ in await delete(request) }
    }

    /// Everything that is saved.
    struct List: Codable, Sendable {
        let entries: [Entry]
        let totalBytes: Int
        let failures: [Failure]
    }

    struct Entry: Codable, Sendable {
        let key: String
        /// `value` or `data`.
        let kind: String
        let size: Int
        /// The date for programs, in RFC 3339.
        @OrNull var savedAt: String?
        /// The age in words.
        @OrNull var age: String?
        let hits: Int
        let validity: Inspector.Validity
        @OrNull var reason: String?
    }

    /// A store that failed.
    struct Failure: Codable, Sendable {
        let store: String
        let reason: String

        init(_ failure: Inspector.Failure) {
            store = failure.store
            reason = "\(failure.error.forPages)"
        }
    }

    /// The answer to a validation.
    struct Validation: Codable, Sendable {
        /// The keys of the entries that were removed.
        let removed: [String]
        let failures: [Failure]
    }

    private func list(_ request: ServerRequest) async -> ServerResponse {
        let language = Language.best(for: request.queryValue("lang") ?? "en")
        let report = await services.inspector.entries()
        return .json(
            List(
                entries: report.value.map { entry($0, language) }, totalBytes: report.value.reduce(0) { $0 + $1.size },
                failures: report.failures.map(Failure.init)))
    }

    private func validate() async -> ServerResponse {
        let report = await services.inspector.validate()
        return .json(Validation(removed: report.value, failures: report.failures.map(Failure.init)))
    }

    private func delete(_ request: ServerRequest) async -> ServerResponse {
        guard let key = request.queryValue("key") else { return .problem(400, "key", "name the entry: ?key=…") }
        do throws(StoreError) {
            return try await services.inspector.delete(key)
                ? .empty() : .problem(404, "notFound", "nothing is saved under this key")
        } catch {
            return .failure(of: error)
        }
    }

    private func entry(_ entry: Inspector.Entry, _ language: Language) -> Entry {
        Entry(
            key: entry.key, kind: entry.kind == .value ? "value" : "data", size: entry.size,
            savedAt: entry.savedAt?.formatted(.iso8601),
            age: entry.savedAt.map { language.relative($0, now: services.configuration.now()) }, hits: entry.hits,
            validity: entry.validity, reason: entry.reason)
    }
}
