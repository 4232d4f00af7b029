import Aquifer
import Foundation
import ShadowDrive

extension ObjectNamesModel {
    /// The names on the server as the page draws them, compared with the list that it shows.
    func json(beside shown: [String], _ language: Language) -> JSONText {
        // Names are compared by their bytes: two forms of one letter make two names.
        let (here, there) = (Set(shown.map { Data($0.utf8) }), Set(names.map { Data($0.utf8) }))
        let missing = phase == .loaded ? shown.filter { !there.contains(Data($0.utf8)) }.sorted() : []
        let marked = names.map { name in
            JSONText.object([("name", .string(name)), ("isShown", .bool(here.contains(Data(name.utf8))))])
        }
        return .object([
            ("phase", .string(phase.rawValue)), ("names", .array(marked)),
            ("missing", .array(missing.map { .string($0) })), ("error", .string(error?.message(in: language))),
        ])
    }
}
