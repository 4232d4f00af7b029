import Aquifer
import Foundation
import Testing

@Suite("Requests and answers as values")
struct HTTPValuesTests {
    @Test("Header names compare without regard to case, and keep their order")
    func headers() {
        var headers: HTTPHeaders = ["ETag": "\"1\"", "X-A": "1"]
        headers.add("x-a", "2")
        #expect(headers["etag"] == "\"1\"")
        #expect(headers["X-a"] == "1")
        headers["x-A"] = "3"
        #expect(headers.fields == [.init("ETag", "\"1\""), .init("x-A", "3")])
        headers["ETAG"] = nil
        #expect(headers["ETag"] == nil)
    }

    @Test("A request follows redirects if its method changes nothing, unless it is told otherwise")
    func followsRedirects() throws {
        let url = try #require(URL(string: "http://a.example/"))
        for method in ["GET", "HEAD", "OPTIONS", "TRACE"] as [HTTPMethod] {
            #expect(HTTPRequest(method, url).followsRedirects, "\(method.rawValue)")
            #expect(HTTPRequest(method, url, followsRedirects: true) == HTTPRequest(method, url))
            #expect(HTTPRequest(method, url, followsRedirects: false) != HTTPRequest(method, url))
        }
        for method in ["POST", "PUT", "PATCH", "DELETE", "get", "X-UNKNOWN"] as [HTTPMethod] {
            #expect(!HTTPRequest(method, url).followsRedirects, "\(method.rawValue)")
            #expect(HTTPRequest(method, url, followsRedirects: true).followsRedirects)
        }
        var request = HTTPRequest(.get, url, followsRedirects: true)
        request.method = .post
        #expect(!request.followsRedirects)
        request.followsRedirects = true
        request.method = "PUT"
        #expect(request.followsRedirects)
    }

    @Test("A media type is read without its parameters, in lower case")
    func mediaType() throws {
        let url = try #require(URL(string: "http://a.example/"))
        let head = HTTPResponseHead(status: 200, headers: ["Content-Type": "Application/JSON; charset=utf-8"], url: url)
        #expect(head.mediaType == "application/json")
        #expect(HTTPResponseHead(status: 200, url: url).mediaType == nil)
        let twice = HTTPResponseHead(status: 200, headers: ["Content-Type": "Text/HTML , application/json"], url: url)
        #expect(twice.mediaType == "text/html")
    }

    @Test("Errors of one kind are equal, whatever their details, and all errors around them are, too")
    func equalErrors() {
        let (one, other) = (TransportError(.timedOut, "curl 28"), TransportError(.timedOut, "URLError -1001"))
        #expect(one == other && one.hashValue == other.hashValue && one.description != other.description)
        #expect(LoadError.connectivity(one) == LoadError.connectivity(other))
        #expect(InvalidData.unusable(one) == InvalidData.unusable(other))
        #expect(TransportError(.timedOut, "x") != TransportError(.interrupted, "x"))
    }

    @Test("A body's length is that of its parts")
    func bodyLength() {
        let file = URL(filePath: "/tmp/none")
        let body = HTTPBody(parts: [.bytes(Data("abc".utf8)), .file(file, offset: 10, length: 1 << 40)])
        #expect(body.length == (1 << 40) + 3)
    }

    @Test(
        "Dates of HTTP are read, and nothing else",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("06 Nov 1994 08:49:37 GMT", nil), ("soon", nil), ("", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
        ] as [(String, TimeInterval?)])
    func dates(text: String, seconds: TimeInterval?) {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "Only absolute http and https addresses are addresses of the web",
        arguments: [
            ("http://a.example/b", true), ("HTTPS://a.example", true), ("file:///etc/passwd", false),
            ("javascript:alert(1)", false), ("data:image/png;base64,AA", false), ("/relative", false),
            ("http:///nohost", false), ("ftp://a.example", false),
        ])
    func webAddresses(text: String, expected: Bool) throws {
        #expect(try #require(URL(string: text)).isWebAddress == expected)
    }

    @Test("Kinds of transport errors are either about connectivity or about the answer")
    func kinds() {
        let connectivity = TransportError.Kind.allCases.filter { TransportError($0).isConnectivity }
        #expect(connectivity == [.offline, .cannotResolve, .cannotConnect, .timedOut, .interrupted, .insecure])
    }

    @Test(
        "A redirect to another scheme, host or port takes no credentials along, and no body",
        arguments: [
            ("https://a.example/", true), ("https://A.example:443/b", true), ("https://b.example/", false),
            ("https://a.example:8443/", false), ("https://sub.a.example/", false),
        ])
    func credentialsStay(target: String, isSameOrigin: Bool) throws {
        let url = try #require(URL(string: "https://a.example/1"))
        let fields: HTTPHeaders = ["Authorization": "a", "Cookie": "b", "Proxy-Authorization": "c", "X-Other": "d"]
        let head = HTTPResponseHead(status: 307, headers: ["Location": target], url: url)
        let next = try #require(try HTTPRequest(.get, url, headers: fields).redirected(by: head))
        #expect(next.headers["X-Other"] == "d")
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
            #expect((next.headers[name] != nil) == isSameOrigin, "\(name)")
        }
        let post = HTTPRequest(.post, url, body: .bytes(Data("a".utf8)), followsRedirects: true)
        #expect((try post.redirected(by: head) != nil) == isSameOrigin)
    }

    @Test(
        "A redirect chooses no user: what the app has given for the origin stays",
        arguments: [
            ("https://eve:pw@a.example/2", "https://a.example/2"), ("//eve@a.example/2?q#f", "https://a.example/2?q#f"),
            ("https://eve:pw@b.example/a%20b", "https://b.example/a%20b"), ("/2", "https://me:own@a.example/2"),
            ("https://me:own@a.example/2", "https://me:own@a.example/2"),
            ("https://me:own@b.example/2", "https://b.example/2"),
        ])
    func userOfRedirect(location: String, target: String) throws {
        let url = try #require(URL(string: "https://me:own@a.example/1"))
        let head = HTTPResponseHead(status: 302, headers: ["Location": location], url: url)
        #expect(try HTTPRequest(.get, url).redirected(by: head)?.url.absoluteString == target)
    }

    @Test(
        "A redirect leads to the address that it names, with its escapes as they are",
        arguments: [
            ("/a%20b/c d.mp3", "https://a.example/a%20b/c%20d.mp3"),
            ("/s?restrict[]=brand&x=%2F", "https://a.example/s?restrict%5B%5D=brand&x=%2F"),
            ("/s?q={a}&t=%3D%26", "https://a.example/s?q=%7Ba%7D&t=%3D%26"),
            ("caf\u{e9}/a%20b", "https://a.example/dir/caf%C3%A9/a%20b"),
            ("https://b.example/x%2Fy z?sig=a%2Bb%3D", "https://b.example/x%2Fy%20z?sig=a%2Bb%3D"),
            ("//b.example/%20 ", "https://b.example/%20%20"), ("/100%/a%20b", "https://a.example/100%25/a%20b"),
            ("?p=%2F|", "https://a.example/dir/1?p=%2F%7C"), ("../x/./%79", "https://a.example/x/%79"),
        ])
    func escapesOfRedirect(location: String, wanted: String) throws {
        let url = try #require(URL(string: "https://a.example/dir/1?q=1"))
        let head = HTTPResponseHead(status: 302, headers: ["Location": location], url: url)
        #expect(try HTTPRequest(.get, url).redirected(by: head)?.url.absoluteString == wanted)
    }

    @Test(
        "Two lengths of one body are refused, and one that is told twice is not",
        arguments: [["5", "6"], ["5, 6"], ["5", "5"], ["5, 5"]])
    func lengths(fields: [String]) throws {
        let url = try #require(URL(string: "https://a.example/1"))
        let head = HTTPResponseHead(
            status: 200, headers: HTTPHeaders(fields.map { .init("Content-Length", $0) }), url: url)
        let isRefused = fields.joined().contains("6")
        do throws(TransportError) {
            _ = try HTTPRequest(.get, url).redirected(by: head)
            #expect(!isRefused)
        } catch { #expect(isRefused && error.kind == .malformed) }
    }

    @Test(
        "A redirected GET takes no validators and conditions along, but ranges",
        arguments: ["/2", "https://b.example/"])
    func conditionsStay(target: String) throws {
        let url = try #require(URL(string: "https://a.example/1"))
        let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
        var fields: HTTPHeaders = ["Range": "bytes=5-", "If-Range": "\"1\"", "Accept": "*/*"]
        for name in conditions { fields[name] = "\"1\"" }
        let head = HTTPResponseHead(status: 301, headers: ["Location": target], url: url)
        let next = try #require(try HTTPRequest(.get, url, headers: fields).redirected(by: head))
        for name in conditions { #expect(next.headers[name] == nil, "\(name)") }
        for name in ["Range", "If-Range", "Accept"] { #expect(next.headers[name] == fields[name], "\(name)") }
    }

    @Test(
        "A change takes its conditions along, unless the redirect makes it a GET",
        arguments: ["PUT", "PATCH", "DELETE"] as [HTTPMethod], [307, 308, 303])
    func conditionsGo(method: HTTPMethod, status: Int) throws {
        let url = try #require(URL(string: "https://a.example/1"))
        let fields: HTTPHeaders = ["If-Match": "\"1\"", "If-None-Match": "*", "If-Unmodified-Since": "then"]
        let head = HTTPResponseHead(status: status, headers: ["Location": "/2"], url: url)
        let request = HTTPRequest(method, url, headers: fields, followsRedirects: true)
        let next = try #require(try request.redirected(by: head))
        #expect(next.method == (status == 303 ? .get : method))
        #expect(next.headers == (status == 303 ? [:] : fields))
    }

    @Test("A 304 behind a redirect is no answer, and one without a redirect is")
    func notModifiedElsewhere() throws {
        let url = try #require(URL(string: "https://a.example/1"))
        let request = HTTPRequest(.get, url, headers: ["If-None-Match": "\"1\""])
        let unchanged = HTTPResponseHead(status: 304, url: url)
        #expect(try request.redirected(by: unchanged) == nil)
        let head = HTTPResponseHead(status: 302, headers: ["Location": "/login"], url: url)
        let next = try #require(try request.redirected(by: head))
        #expect(throws: TransportError.self) { try next.redirected(by: unchanged) }
        #expect(try next.redirected(by: HTTPResponseHead(status: 200, url: url)) == nil)
    }

    @Test("A redirect to https on the same port is another origin")
    func credentialsAndSchemes() throws {
        let url = try #require(URL(string: "http://a.example:8080/1"))
        let head = HTTPResponseHead(status: 302, headers: ["Location": "https://a.example:8080/"], url: url)
        let next = try #require(try HTTPRequest(.get, url, headers: ["Authorization": "a"]).redirected(by: head))
        #expect(next.headers["Authorization"] == nil)
    }
}
