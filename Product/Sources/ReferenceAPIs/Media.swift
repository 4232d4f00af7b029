import Foundation

/// A folder of the module's resources.
struct Media: Sendable {
    private let folder: URL

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    init(_ name: String) throws {
        guard let resources = Bundle.module.resourceURL else {
            throw Missing(description: "the resources of ReferenceAPIs are missing beside the program")
        }
        folder = resources.appending(path: "Media/\(name)")
    }

    /// The place of a resource.
    func url(_ path: String) -> URL { folder.appending(path: path) }

    func data(_ path: String) throws -> Data {
        do {
            return try Data(contentsOf: folder.appending(path: path))
        } catch {
            throw Missing(description: "the resource \(path) of ReferenceAPIs cannot be read: build again")
        }
    }
}
