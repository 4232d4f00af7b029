/// A file of the pages cannot be read, or a module has a form that ``PageLinker`` does not link. Tests find it before a user does.
struct PageFault: Error, CustomStringConvertible {
    /// The file and the line, `js/main.js:12`.
    let place: String
    let reason: String

    var description: String { "\(place): \(reason)" }
}
