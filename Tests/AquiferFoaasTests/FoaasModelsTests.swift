import Foundation
import Testing

@testable import AquiferFoaas

@Suite("Models and their conformances")
struct FoaasModelsTests {
    private func json(_ text: String) throws -> [String: AnyObject] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: AnyObject])
    }

    @Test("Foaas is JSONConvertible: made of the endpoint's JSON, and becomes it again")
    func foaas() throws {
        let phrase = try #require(
            Foaas(json: try json(#"{"message":"This is awesome.","subtitle":"- louis","extra":1}"#)))
        #expect(phrase == Foaas(message: "This is awesome.", subtitle: "- louis"))
        #expect(Foaas(json: phrase.toJson()) == phrase)
        #expect(phrase.toJson()["message"] as? String == "This is awesome.")
    }

    @Test(
        "Foaas is nil of anything else",
        arguments: ["{}", #"{"message":"a"}"#, #"{"message":1,"subtitle":"b"}"#, #"{"subtitle":"b","message":null}"#])
    func noFoaas(text: String) throws {
        #expect(Foaas(json: try json(text)) == nil)
    }

    @Test("Foaas is CustomStringConvertible: both texts, as they are shared")
    func foaasDescription() {
        #expect(Foaas(message: "Hello.", subtitle: "- you").description == "Hello.\n- you")
        #expect("\(Foaas(message: "Hello.", subtitle: ""))" == "Hello.")
    }

    @Test("FoaasField is JSONConvertible and CustomStringConvertible")
    func field() throws {
        let field = try #require(FoaasField(json: try json(#"{"name":"From","field":"from"}"#)))
        #expect(field == FoaasField(name: "From", field: "from"))
        #expect(FoaasField(json: field.toJson()) == field)
        #expect(field.description == "From")
        #expect(FoaasField(name: "Behaviour", field: "behavior").description == "Behaviour (behavior)")
    }

    @Test("A field without a name is named after its placeholder")
    func namelessField() throws {
        #expect(
            FoaasField(json: try json(#"{"from":"From","field":"from"}"#)) == FoaasField(name: "From", field: "from"))
        #expect(FoaasField(json: try json(#"{"name":"","field":"thing"}"#))?.name == "Thing")
    }

    @Test("A field that names no placeholder is none", arguments: [#"{"name":"From"}"#, #"{"field":""}"#, "{}"])
    func noField(text: String) throws {
        #expect(FoaasField(json: try json(text)) == nil)
    }

    @Test(
        "FoaasOperation is JSONConvertible and DataConvertible, and round-trips through both",
        arguments: [
            FoaasWorld.awesome, FoaasWorld.gift, FoaasWorld.version,
            FoaasOperation(name: "Ü \"😀\"", url: "/a b/:x", fields: [FoaasField(name: "שלום", field: "x")]),
        ])
    func operation(operation: FoaasOperation) throws {
        #expect(FoaasOperation(json: operation.toJson()) == operation)
        let data = try operation.toData()
        #expect(FoaasOperation(data: data) == operation)
        #expect(try operation.toData() == data)
        #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
    }

    @Test(
        "An operation that cannot be read is none",
        arguments: [
            "{}", #"{"name":"A","url":"/a"}"#, #"{"name":"","url":"/a","fields":[]}"#,
            #"{"name":"A","url":"a","fields":[]}"#, #"{"name":"A","url":"/","fields":[]}"#,
            #"{"name":"A","url":"/a//b","fields":[]}"#, #"{"name":"A","url":"/a/:","fields":[]}"#,
            #"{"name":"A","url":"/a","fields":[{"name":"From"}]}"#, #"{"name":"A","url":"/a","fields":"from"}"#,
        ])
    func noOperation(text: String) throws {
        #expect(FoaasOperation(json: try json(text)) == nil)
        #expect(FoaasOperation(data: Data(text.utf8)) == nil)
    }

    @Test("A path that is too long to be sent, and fields without number, are no operation's")
    func endlessOperations() throws {
        func read(placeholders: Int, fields: Int) throws -> FoaasOperation? {
            let field = #"{"name":"A","field":"a"}"#
            let url = (0..<placeholders).map { "/:\($0)" }.joined()
            return FoaasOperation(
                json: try json(
                    #"{"name":"A","url":"\#(url)","fields":[\#(Array(repeating: field, count: fields).joined(separator: ","))]}"#
                ))
        }
        #expect(try read(placeholders: 2_000, fields: 1_000)?.placeholders.count == 2_000)
        #expect(try read(placeholders: 200_000, fields: 1) == nil)
        #expect(try read(placeholders: 1, fields: 200_000) == nil)
    }

    @Test("Bytes that are no JSON object are no operation", arguments: ["", "null", "[]", "<html>", "\u{0}"])
    func noData(text: String) {
        #expect(FoaasOperation(data: Data(text.utf8)) == nil)
    }

    @Test("Placeholders are those of the url, in its order, each once")
    func placeholders() {
        #expect(FoaasWorld.gift.placeholders == ["name", "thing", "from"])
        #expect(FoaasWorld.version.placeholders == [])
        #expect(FoaasOperation(name: "T", url: "/:a/:b/:a", fields: []).placeholders == ["a", "b"])
    }

    @Test(
        "Search is on name, path and fields, whatever case and accents",
        arguments: [("GIF", true), ("  gift ", true), ("thíng", true), ("/gift", true), ("", true), ("awesome", false)])
    func search(query: String, found: Bool) {
        #expect(FoaasWorld.gift.matches(query) == found)
    }
}
