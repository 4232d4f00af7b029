import Foundation
import Testing

@testable import App

@MainActor
@Suite("The types of pages")
struct PageTypesTests {
    @Test("are those of the Swift states: Scripts/page-types writes them")
    func current() throws {
        let text = try PageTypes.text()
        if ProcessInfo.processInfo.environment["AQUIFER_WRITE_TYPES"] != nil {
            try FileManager.default.createDirectory(
                at: PageTypes.file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: PageTypes.file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: PageTypes.file, encoding: .utf8) == text)
    }

    @Test("No two screens have one name, and a screen's name is all that the registry needs")
    func names() {
        #expect(Set(Screens.all.map { $0.name }).count == Screens.all.count)
        for screen in Screens.all {
            #expect(Screens.named(screen.name).map { ObjectIdentifier($0) } == ObjectIdentifier(screen))
        }
        #expect(Screens.named("nothing") == nil)
    }

    @Test("An intent that a screen does not know is told, with those that it knows; so is a field that is missing")
    func unknownIntents() async throws {
        let world = AppWorld()
        func answer(_ body: String) async throws -> String {
            let response = await world.request("POST", "/api/screens/contacts/intents?tab=tab", body)
            #expect(response.status == 400)
            return String(decoding: try await response.collectBody(), as: UTF8.self)
        }
        let unknown = try await answer(#"{"intent":"explode"}"#)
        #expect(unknown.contains("knows no intent") && unknown.contains("appear, dismissError, search, refresh"))
        #expect(try await answer(#"{"intent":"search"}"#).contains("needs the field"))
    }

    @Test("A screen sees the fields that its intent names, and no other: the pages' types have them all")
    func fields() throws {
        let sent = IntentFields(["id": "1", "code": "123", "digits": "7", "load": "true"])
        let seen = sent.of(PaymentsScreen.Intent.retry)
        #expect(seen["id"] == "1" && seen["code"] == "123" && seen["digits"] == nil && seen.isPageLoad)
        #expect(sent.of(PaymentsScreen.Intent.check)["code"] == nil)
        let text = try PageTypes.text()
        #expect(text.contains("retry: { id: string, code?: string, besides?: string };"))
        #expect(text.contains("payOnceMore: { approved?: string };") && text.contains("giveUp: {};"))
    }
}
