import Aquifer
import AquiferImageFeed
import Foundation
import Testing

@Suite("The feed's contract")
struct FeedMapperTests {
    private func map(_ body: String, status: Int = 200) throws -> [FeedItem] {
        try FeedMapper.map(head(status), Data(body.utf8))
    }

    private func head(_ status: Int) -> HTTPResponseHead {
        HTTPResponseHead(status: status, url: URL(string: "http://feed.example/v1/feed")!)
    }

    private let item = #"{"id":"0A0A0A0A-0000-0000-0000-000000000001","image":"https://a.example/1.jpg"}"#

    @Test("A page becomes its items, in its order, with and without description and location")
    func page() throws {
        let expected = items(1, count: 7)
        #expect(try FeedMapper.map(head(200), json(expected)) == expected)
        #expect(try map(#"{"items":[]}"#) == [])
        #expect(try map(#"{"items":[\#(item)],"more":"ignored"}"#).count == 1)
    }

    // MARK: The extension of the contract

    /// The item, with these fields more.
    private func extended(_ fields: String) throws -> FeedItem {
        try #require(try map(#"{"items":[\#(item.dropLast()),\#(fields)}]}"#).first)
    }

    @Test("An item may tell its author, date, number of comments and size")
    func extensionFields() throws {
        let item = try extended(
            #""author":{"username":"Ana Prado"},"created_at":"2020-08-28T15:07:02+0000","comment_count":3,"width":800,"height":1000"#
        )
        #expect(item.author == "Ana Prado" && item.commentCount == 3)
        #expect(item.createdAt == Date(timeIntervalSince1970: 1_598_627_222))
        #expect(item.size?.width == 800 && item.size?.height == 1000)
    }

    @Test(
        "Each of these fields may be absent or null, and a side alone is no size",
        arguments: [
            #""x":1"#,
            #""author":null,"created_at":null,"comment_count":null,"width":null,"height":null,"variants":null"#,
            #""variants":[]"#,
            #""width":800"#, #""height":800,"width":null"#,
        ])
    func extensionIsOptional(fields: String) throws {
        let item = try extended(fields)
        #expect(item == FeedItem(id: item.id, description: nil, location: nil, image: item.image))
    }

    @Test("An item may offer smaller forms of its picture, in any order")
    func variants() throws {
        let item = try extended(
            #""variants":[{"image":"https://a.example/8.jpg","width":800},{"image":"https://a.example/4.jpg","width":400}]"#
        )
        #expect(item.variants.map(\.width) == [400, 800])
        #expect(item.variants.map(\.url.absoluteString) == ["https://a.example/4.jpg", "https://a.example/8.jpg"])
    }

    @Test(
        "A place gets the smallest form that has its pixels, and else the picture itself",
        arguments: [(1, "4"), (400, "4"), (401, "8"), (801, "1")])
    func formForWidth(width: Int, name: String) throws {
        let item = try extended(
            #""variants":[{"image":"https://a.example/4.jpg","width":400},{"image":"https://a.example/8.jpg","width":800}]"#
        )
        #expect(item.image(forWidth: width).absoluteString == "https://a.example/\(name).jpg")
    }

    @Test("A post without comments has 0 of them, and that is not the same as an unknown number")
    func noComments() throws {
        #expect(try extended(#""comment_count":0"#).commentCount == 0)
    }

    @Test(
        "A field of the extension that is not what it should be rejects the page, as one of the contract does",
        arguments: [
            #""author":"Ana""#, #""author":{}"#, #""author":{"username":7}"#, #""created_at":1598627222"#,
            #""created_at":"yesterday""#, #""comment_count":"3""#, #""comment_count":-1"#, #""comment_count":1.5"#,
            #""width":0,"height":800"#, #""width":800,"height":-1"#, #""width":800,"height":100001"#, #""width":"8""#,
            #""comment_count":99999999999999999999"#, #""variants":{}"#,
            #""variants":[{"image":"https://a.example/4.jpg"}]"#,
            #""variants":[{"image":"file:///4.jpg","width":400}]"#,
            #""variants":[{"image":"https://a.example/4.jpg","width":0}]"#,
            #""variants":[\#(Array(repeating: #"{"image":"https://a.example/4.jpg","width":400}"#, count: 17).joined(separator: ","))]"#,
        ])
    func wrongExtension(fields: String) {
        #expect(throws: (any Error).self) { try extended(fields) }
    }

    @Test("Any status but exactly 200 is invalid data", arguments: [199, 201, 204, 300, 400, 404, 500])
    func status(status: Int) {
        #expect(throws: InvalidData.status(status)) { try map(#"{"items":[]}"#, status: status) }
    }

    @Test(
        "A body that is not a page is invalid data",
        arguments: [
            "", "{", "[]", "{}", "null", #"{"items":{}}"#, #"{"items":"soon"}"#, "<!doctype html><title>Error</title>",
        ])
    func noPage(body: String) {
        #expect(throws: (any Error).self) { try map(body) }
    }

    @Test(
        "One bad item among good ones rejects the page",
        arguments: [
            #"{"id":"not-a-uuid","image":"https://a.example/1.jpg"}"#,
            #"{"image":"https://a.example/1.jpg"}"#,
            #"{"id":"0A0A0A0A-0000-0000-0000-000000000002"}"#,
            #"{"id":"0A0A0A0A-0000-0000-0000-000000000002","image":7}"#,
            #"{"id":"0A0A0A0A-0000-0000-0000-000000000002","image":"","location":"x"}"#,
            #"{"id":"0A0A0A0A-0000-0000-0000-000000000002","image":"https://a.example/1.jpg","location":{}}"#,
            "null", "3",
        ])
    func badItem(bad: String) {
        #expect(throws: (any Error).self) { try map(#"{"items":[\#(item),\#(bad)]}"#) }
    }

    @Test("An id that stands in a page twice rejects the page, and the error says where")
    func twice() {
        #expect(throws: InvalidData.body(".items[1].id stands in the page twice")) {
            try map(#"{"items":[\#(item),\#(item)]}"#)
        }
    }

    @Test(
        "An image address of another scheme rejects the page",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "data:image/png;base64,AA", "/1.jpg", "ftp://a.example/1",
        ])
    func scheme(address: String) {
        #expect(throws: InvalidData.body(".items[0].image is not an http(s) address")) {
            try map(#"{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000002","image":"\#(address)"}]}"#)
        }
    }

    @Test("A string that is not UTF-8 is invalid data")
    func notUTF8() {
        var body = Data(
            #"{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000002","image":"https://a.example/1","location":""#.utf8)
        body.append(contentsOf: [0xC3, 0x28])
        body.append(Data(#""}]}"#.utf8))
        #expect(throws: (any Error).self) { try FeedMapper.map(head(200), body) }
    }

    @Test("The requests are those of the contract")
    func endpoints() throws {
        let base = try #require(URL(string: "http://feed.example/api/"))
        let id = UUID()
        #expect(HTTPRequest.feed(base).url.absoluteString == "http://feed.example/api/v1/feed?limit=10")
        #expect(
            HTTPRequest.feed(base, after: id).url.absoluteString
                == "http://feed.example/api/v1/feed?limit=10&after_id=\(id.uuidString)")
        #expect(
            HTTPRequest.comments(base, image: id).url.absoluteString
                == "http://feed.example/api/v1/image/\(id.uuidString)/comments")
        #expect(HTTPRequest.feed(base).headers["Accept"] == "application/json")
    }

    @Test("The saved form of items gives them back as they were")
    func codec() throws {
        let items = items(1, count: 50)
        #expect(try BinaryReader.decode(BinaryWriter.encode(items)) == items)
        for fields in 0..<32 {
            let variants = [FeedItem.Variant(items[1].image, width: 400), FeedItem.Variant(items[2].image, width: 400)]
            let item = FeedItem(
                id: UUID(), description: nil, location: nil, image: items[0].image, author: fields & 1 > 0 ? "" : nil,
                createdAt: fields & 2 > 0 ? Date(timeIntervalSince1970: 0.5) : nil,
                commentCount: fields & 4 > 0 ? .max : nil,
                size: fields & 8 > 0 ? FeedItem.Size(width: 1, height: 100_000) : nil,
                variants: fields & 16 > 0 ? variants.compactMap { $0 } : [])
            #expect(try BinaryReader.decode(BinaryWriter.encode([item])) == [item])
        }
    }

    @Test(
        "A mark, a count, a size or a variant that no version writes is refused",
        arguments: [
            [3, 32], [3, 4, 255], [3, 8, 0, 1], [3, 8, 1], [3, 2, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F],
            [3, 16, 0],
            [3, 16, 1, 1, 65, 0], [3, 16, 2, 1, 65, 9, 1, 65, 8],
            [3, 16, 17] + Array(repeating: [1, 65, 9], count: 17).joined(),
        ] as [[UInt8]])
    func wrongExtras(bytes: [UInt8]) {
        let address = "https://a.example/1.jpg"
        let (format, bytes) = (bytes[0], bytes.dropFirst())
        let item =
            Data([format] + Array(repeating: 7, count: 16) + [0, 0, UInt8(address.utf8.count)]) + Data(address.utf8)
        #expect(throws: Never.self) { _ = try BinaryReader.decode(item + [0]) as FeedItem }
        #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(item + bytes) as FeedItem }
    }
}

@Suite("The comments' contract")
struct CommentsMapperTests {
    private let head = HTTPResponseHead(status: 200, url: URL(string: "http://feed.example")!)

    private func body(_ date: String) -> Data {
        Data(
            #"{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000001","message":"Olá","created_at":"\#(date)","author":{"username":"ana"}}]}"#
                .utf8)
    }

    @Test(
        "Dates come with Z, +00:00 and +0000",
        arguments: [
            "2020-08-28T15:07:02Z", "2020-08-28T15:07:02+00:00", "2020-08-28T15:07:02+0000",
            "2020-08-28T12:07:02-03:00",
        ])
    func dates(text: String) throws {
        let comment = try #require(try CommentsMapper.map(head, body(text)).first)
        #expect(comment.createdAt == Date(timeIntervalSince1970: 1_598_627_222))
        #expect(comment.message == "Olá" && comment.author == "ana")
    }

    @Test("Another form of date rejects the answer", arguments: ["", "yesterday", "2020-08-28", "1598627222"])
    func noDate(text: String) {
        #expect(throws: InvalidData.body(".items[0].created_at is not an ISO 8601 date")) {
            try CommentsMapper.map(head, body(text))
        }
    }

    @Test(
        "Any 2xx is an answer, anything else is not",
        arguments: [(200, true), (201, true), (299, true), (199, false), (300, false), (404, false), (500, false)])
    func status(status: Int, accepted: Bool) {
        let head = HTTPResponseHead(status: status, url: head.url)
        #expect(((try? CommentsMapper.map(head, Data(#"{"items":[]}"#.utf8))) != nil) == accepted)
    }
}

@Suite("What a picture is")
struct PictureCheckTests {
    private let head = HTTPResponseHead(status: 200, url: URL(string: "http://feed.example")!)

    @Test(
        "Bytes that browsers draw are a picture, by how they begin",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
            (Array("GIF89a".utf8), "image/gif"), (Array("RIFF....WEBPVP8 ".utf8), "image/webp"),
            (Array("....ftypavif".utf8), "image/avif"), (Array("<html>".utf8), nil), ([], nil), ([0xFF], nil),
            (Array("RIFF....WAVE".utf8), nil), (Array("....ftypavis".utf8), "image/avif"),
            (Array("\0\0\0\u{14}ftypmif1....avif".utf8), "image/avif"),
            (Array("\0\0\0\u{20}ftypmif1....miafavisMA1B".utf8), "image/avif"),
            (Array("\0\0\0\u{18}ftypheicavifmif1heicavif".utf8), nil),  // a version, and what follows the box
        ] as [([UInt8], String?)])
    func types(bytes: [UInt8], type: String?) {
        #expect(PictureCheck.mediaType(of: Data(bytes)) == type)
    }

    @Test("A status but 200, no bytes, and bytes that are no picture are refused")
    func refusals() {
        let picture = Data([0xFF, 0xD8, 0xFF])
        #expect(throws: Never.self) { try PictureCheck.check(head, picture) }
        #expect(throws: InvalidData.status(404)) {
            try PictureCheck.check(HTTPResponseHead(status: 404, url: head.url), picture)
        }
        #expect(throws: InvalidData.body("the body is empty")) { try PictureCheck.check(head, Data()) }
        #expect(throws: InvalidData.body("the body is no picture")) {
            try PictureCheck.check(head, Data("<html>".utf8))
        }
    }
}
