import Aquifer
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

    private func list(_ request: ServerRequest) async -> ServerResponse {
        let language = Language(tag: request.queryValue("lang") ?? "en")
        let report = await services.inspector.entries()
        return .json(
            .object([
                ("entries", .array(report.value.map { json($0, language) })),
                ("totalBytes", .int(report.value.reduce(0) { $0 + $1.size })),
                ("failures", report.failuresJSON),
            ]))
    }

    private func validate() async -> ServerResponse {
        let report = await services.inspector.validate()
        return .json(
            .object([("removed", .array(report.value.map { .string($0) })), ("failures", report.failuresJSON)]))
    }

    private func delete(_ request: ServerRequest) async -> ServerResponse {
        guard let key = request.queryValue("key") else { return .problem(400, "key", "name the entry: ?key=…") }
        do throws(StoreError) {
            return try await services.inspector.delete(key)
                ? .empty() : .problem(404, "notFound", "nothing is saved under this key")
        } catch {
            return .problem(500, "store", "\(error)")
        }
    }

    private func json(_ entry: Inspector.Entry, _ language: Language) -> JSONText {
        .object([
            ("key", .string(entry.key)),
            ("kind", .string(entry.kind == .value ? "value" : "data")),
            ("size", .int(entry.size)),
            ("savedAt", .string(entry.savedAt?.formatted(.iso8601))),
            ("age", .string(entry.savedAt.map { language.relative($0, now: services.configuration.now()) })),
            ("hits", .int(entry.hits)),
            ("validity", .string(entry.validity.rawValue)),
            ("reason", .string(entry.reason)),
        ])
    }
}

extension Inspector.Report {
    /// The stores that failed, for programs and pages.
    public var failuresJSON: JSONText {
        .array(
            failures.map { failure in
                .object([("store", .string(failure.store)), ("reason", .string("\(failure.error)"))])
            })
    }
}
