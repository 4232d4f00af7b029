import Aquifer
import Foundation
import ReferenceAPIs
import Testing

@Suite("The reference FOAAS keeps its contract, traps included", .timeLimit(.minutes(10)))
struct ReferenceFoaasTests {
    private struct World {
        let client: any HTTPClient
        let base: URL

        func get(
            _ path: String, accept: String? = "application/json", method: HTTPMethod = .get,
            _ more: HTTPHeaders = [:]
        ) async throws -> (status: Int, headers: HTTPHeaders, text: String) {
            var headers = more
            headers["Accept"] = accept
            let url = try #require(URL(string: base.absoluteString + path))
            let response = try await client.send(HTTPRequest(method, url, headers: headers))
            let data = try await response.data(upTo: 1 << 20)
            return (response.head.status, response.head.headers, String(decoding: data, as: UTF8.self))
        }

        func phrase(_ path: String) async throws -> (message: String, subtitle: String) {
            let answer = try await get(path)
            let object = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: String]
            return (try #require(object?["message"]), try #require(object?["subtitle"]))
        }
    }

    private func run(_ way: Way, _ test: (World) async throws -> Void) async throws {
        try await way.run(try ReferenceAPIs()) { client, base in
            try await test(World(client: client, base: base.appending(path: "foaas")))
        }
    }

    @Test("There are at least 60 operations, of every field count, each url once", arguments: Way.allCases)
    func operations(way: Way) async throws {
        try await run(way) { world in
            let answer = try await world.get("/operations")
            #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
            let list = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [[String: Any]])
            let urls = list.compactMap { $0["url"] as? String }
            #expect(list.count >= 60 && urls.count == list.count && Set(urls).count == urls.count)
            let fields = list.compactMap { $0["fields"] as? [[String: String]] }
            #expect(Set(fields.map(\.count)) == [0, 1, 2, 3])
            #expect(fields.count { $0.contains { $0["name"] == nil } } == 1)
            let keys = Set(fields.flatMap { $0.compactMap { $0["field"] } })
            #expect(
                keys == [
                    "company", "from", "name", "tool", "do", "something", "reference", "noun", "reaction", "behavior",
                    "thing", "language",
                ])
            let reordered = zip(urls, fields).filter { url, fields in
                url.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
                    != fields.compactMap { $0["field"] }
            }
            #expect(reordered.count == 1)
        }
    }

    @Test("Every operation can be said, and says every value", arguments: Way.allCases)
    func everyOperation(way: Way) async throws {
        try await run(way) { world in
            let list = try JSONSerialization.jsonObject(with: Data(try await world.get("/operations").text.utf8))
            let urls = try #require(list as? [[String: Any]]).compactMap { $0["url"] as? String }
            #expect(urls.count >= 60)
            for url in urls {
                let said = try await world.phrase(url.replacing("/:", with: "/the-"))
                for placeholder in url.split(separator: "/").filter({ $0.hasPrefix(":") }) {
                    #expect("\(said)".contains("the-\(placeholder.dropFirst())"), "\(url)")
                }
                #expect(!"\(said)".contains(" :"), "\(url)")
            }
        }
    }

    @Test("The list and each phrase have an ETag, and are 304 to who has it", arguments: Way.allCases)
    func etag(way: Way) async throws {
        try await run(way) { world in
            for path in ["/operations", "/awesome/louis"] {
                let etag = try #require(try await world.get(path).headers["ETag"])
                let again = try await world.get(path, ["If-None-Match": etag])
                #expect(again.status == 304 && again.text.isEmpty)
            }
        }
    }

    @Test("JSON is for who asks for it, HTML for who does not say, 406 for pictures", arguments: Way.allCases)
    func negotiation(way: Way) async throws {
        try await run(way) { world in
            #expect(try await world.get("/awesome/louis").text.hasPrefix("{"))
            for accept: String? in [nil, "*/*", "text/html", "text/html,*/*;q=0.1"] {
                let answer = try await world.get("/awesome/<b>", accept: accept).text
                #expect(answer.hasPrefix("<!DOCTYPE html>") && !answer.contains("<b>"))
            }
            let picture = try await world.get("/awesome/louis", accept: "image/png")
            #expect(picture.status == 406 && picture.text.isEmpty)
        }
    }

    @Test(
        "What is unknown is 622 with a phrase: an unknown path, POST, empty or too many segments",
        arguments: Way.allCases)
    func unknown(way: Way) async throws {
        try await run(way) { world in
            for path in ["/nothing", "/a/b/c/d/e", "/awesome//", "/"] {
                let answer = try await world.get(path)
                #expect(answer.status == 622 && answer.text.contains("subtitle"), "\(path)")
            }
            #expect(try await world.get("/awesome/louis", method: .post).status == 622)
        }
    }

    @Test("An unknown path of two segments is said something to", arguments: Way.allCases)
    func catchAll(way: Way) async throws {
        try await run(way) { world in
            let answer = try await world.get("/what-is-this/louis")
            #expect(answer.status == 200 && answer.text.contains("louis"))
        }
    }

    @Test("Encoded characters round-trip; what is badly encoded is 400 in HTML", arguments: Way.allCases)
    func encoding(way: Way) async throws {
        try await run(way) { world in
            let said = try await world.phrase("/awesome/a%2Fb%20c%3Fd%23e%25f%20%F0%9F%98%80%20%D7%A9")
            #expect(said.subtitle == "- a/b c?d#e%f 😀 ש")
        }
        try await run(.socket) { world in
            for bad in ["%FF", "%C3"] {
                let answer = try await world.get("/awesome/\(bad)")
                #expect(answer.status == 400 && answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
            }
        }
    }

    @Test("8 kB fit into a path, 20 kB are 431")
    func long() async throws {
        try await run(.socket) { world in
            let value = String(repeating: "x", count: 8000)
            let subtitle = try await world.phrase("/awesome/\(value)").subtitle
            #expect(subtitle == "- \(value)")
            let status = try await world.get("/awesome/" + String(repeating: "x", count: 20_000)).status
            #expect(status == 431)
        }
    }

    @Test("Its faults are those of every remote", arguments: [Fault.offline, .failing, .garbage, .cut])
    func faults(fault: Fault) async throws {
        let apis = try ReferenceAPIs()
        apis.set(fault, of: .foaas)
        try await Way.socket.run(apis) { client, base in
            let world = World(client: client, base: base.appending(path: "foaas"))
            switch fault {
            case .failing:
                let status = try await world.get("/operations").status
                #expect(status == 503)
            case .garbage:
                let text = try await world.get("/operations").text
                #expect(text == #"{"items":"soon"}"#)
            default:
                await #expect(throws: TransportError.self) { _ = try await world.get("/operations") }
            }
        }
    }
}
