import Foundation
import Testing

@testable import App

@MainActor
@Suite("The keys of states")
struct PageKeysTests {
    /// The members that every text and list has in JavaScript.
    private static let ofLanguage: Set = ["length"]

    private static func keys<Kind: Screen>(of screen: Kind.Type) throws -> [(key: String, shape: Shape)] {
        guard case .object(_, let keys) = try Shape.of(Kind.State.self) else { return [] }
        return keys
    }

    /// Every key of a shape, and of the shapes in it, with the shape that has it.
    private func all(_ keys: [(key: String, shape: Shape)]) -> [String] {
        keys.flatMap { [$0.key] + inner($0.shape) }
    }

    private func inner(_ shape: Shape) -> [String] {
        switch shape {
        case .text, .number, .boolean, .choice: []
        case .list(let shape), .table(let shape), .orNull(let shape): inner(shape)
        case .object(_, let keys): all(keys)
        }
    }

    /// True if the keys lead to something.
    private func leads(_ path: ArraySlice<String>, in keys: [(key: String, shape: Shape)]) -> Bool {
        guard let first = path.first, let found = keys.first(where: { $0.key == first }) else { return path.isEmpty }
        var shape = found.shape
        if case .orNull(let inner) = shape { shape = inner }
        if path.count == 1 { return true }
        guard case .object(_, let keys) = shape else { return Self.ofLanguage.contains(path[path.startIndex + 1]) }
        return leads(path.dropFirst(), in: keys)
    }

    @Test("Each key that a screen sends is read by its page")
    func sent() throws {
        for screen in Screens.all {
            let page = try PageScript(screen.name)
            let unread = try Set(all(try Self.keys(of: screen))).filter { try !page.mentions($0) }
            #expect(unread.sorted() == [], "\(screen.name)")
        }
    }

    @Test("Each key that a page reads of its state is sent by its screen")
    func read() throws {
        for screen in Screens.all {
            let keys = try Self.keys(of: screen)
            let unsent = try PageScript(screen.name).reads.filter { !leads($0[...], in: keys) }
            #expect(unsent.map { $0.joined(separator: ".") }.sorted() == [], "\(screen.name)")
        }
    }

    @Test("The check finds a key that nothing sends, and one that nothing reads")
    func finds() throws {
        let keys = try Self.keys(of: DriveAccountScreen.self)
        #expect(leads(["upload", "isDone"], in: keys) && !leads(["upload", "isOver"], in: keys))
        #expect(leads(["files", "length"], in: keys) && !leads(["state"], in: keys))
        #expect(try !PageScript("feed").mentions("origin"))
        #expect(try PageScript("feed").mentions("location"))
        // The catalogue has texts of these names and with these values, but this page uses none of them.
        for key in ["sent", "freeText"] { #expect(try !PageScript("comments").mentions(key)) }
        #expect(try PageScript("drive").mentions("freeText"))
    }
}
