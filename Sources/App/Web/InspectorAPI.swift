import Aquifer
import Foundation
import HTTPServer

/// What is saved, for the inspector page: list, validate, delete.
struct InspectorAPI: Sendable {
    let services: Services

    func add(to router: inout Router) {
        router.on("GET", "/api/inspector") { request, _ in await list(request) }
        router.on("POST", "/api/inspector/validate") { _, _ in await validate() }
        router.on("DELETE", "/api/inspector/entries") { request, _ in await delete(request) }
    }

    private func list(_ request: ServerRequest) async -> ServerResponse {
        let language = Language(tag: request.queryValue("lang") ?? "en")
        return await answering { () async throws(StoreError) in
            let entries = try await services.inspector.entries()
            return .json(
                .object([
                    ("entries", .array(entries.map { json($0, language) })),
                    ("totalBytes", .int(entries.reduce(0) { $0 + $1.summary.size })),
                ]))
        }
    }

    private func validate() async -> ServerResponse {
        await answering { () async throws(StoreError) in
            let removed = try await services.inspector.validate()
            return .json(.object([("removed", .array(removed.map { .string($0) }))]))
        }
    }

    private func delete(_ request: ServerRequest) async -> ServerResponse {
        guard let key = request.queryValue("key") else { return .problem(400, "key", "name the entry: ?key=…") }
        return await answering { () async throws(StoreError) in
            try await services.inspector.delete(key)
                ? .empty() : .problem(404, "notFound", "nothing is saved under this key")
        }
    }

    private func json(_ entry: Inspector.Entry, _ language: Language) -> JSONText {
        .object([
            ("key", .string(entry.summary.key)),
            ("kind", .string(entry.summary.kind == .value ? "value" : "data")),
            ("size", .int(entry.summary.size)),
            ("savedAt", .string(entry.summary.savedAt.formatted(.iso8601))),
            ("age", .string(language.relative(entry.summary.savedAt, now: services.configuration.now()))),
            ("hits", .int(entry.hits)),
            ("validity", .string(entry.validity.rawValue)),
        ])
    }

    private func answering(
        _ work: () async throws(StoreError) -> ServerResponse
    ) async -> ServerResponse {
        do throws(StoreError) { return try await work() } catch {
            return .problem(500, "store", "\(error)")
        }
    }
}
