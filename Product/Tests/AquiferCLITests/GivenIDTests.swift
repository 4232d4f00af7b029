import Foundation
import Testing

@testable import AquiferCLI

@Suite("An ID that is given by its beginning")
struct GivenIDTests {
    private struct Thing: Identifiable { let id: UUID }

    private let things = [
        "634BE73B-4CD9-55D1-A8EB-44EB725FEAAA", "634BE73B-0000-55D1-A8EB-44EB725FEAAA",
        "85F8AD95-1B5A-4345-A85C-D56D3ECA7071",
    ].compactMap(UUID.init).map(Thing.init)

    private func found(_ text: String) -> String {
        do throws(CommandError) {
            return try GivenID(text).only(of: things, "clip", listedBy: "audio list").id.uuidString
        } catch { return "\(error.status.rawValue) \(error.message)" }
    }

    @Test("Names the only thing with such an ID, in any case of its letters")
    func only() {
        for text in ["85f8", "85F8AD95", "85F8AD95-1B5A-4345-A85C-D56D3ECA7071"] {
            #expect(found(text) == "85F8AD95-1B5A-4345-A85C-D56D3ECA7071")
        }
        #expect(found("634BE73B-4") == "634BE73B-4CD9-55D1-A8EB-44EB725FEAAA")
    }

    @Test("Names nothing if it fits several, or none, or is shorter than four characters")
    func none() {
        #expect(
            found("634BE73B")
                == "66 2 clips have an ID that begins with \"634BE73B\"; give more of it (aquifer audio list)")
        for text in ["85F", "", "zzzz"] {
            #expect(
                found(text) == "66 no clip has an ID that begins with \"\(text)\"; aquifer audio list shows them")
        }
    }
}
