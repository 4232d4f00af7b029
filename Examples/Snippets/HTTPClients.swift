import Aquifer
import AquiferCurl
import AquiferTesting
import Foundation
import Testing

/// Shows every server a token.
struct AuthorizedClient: HTTPClient {
    let base: any HTTPClient
    let token: String

    var asksBeforeSending: Bool { base.asksBeforeSending }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.headers["Authorization"] = "Bearer \(token)"
        return try await base.send(request)
    }
}

@Test("AuthorizedClient keeps the contract", arguments: HTTPClientContract.checks(about: [.answers, .redirects]))
func authorizedClientKeepsTheContract(_ check: HTTPClientContract.Check) async throws {
    try await check.run { AuthorizedClient(base: CurlHTTPClient(), token: "secret") }
}

func search(for words: Data, at url: URL, with client: any HTTPClient) async throws(TransportError) -> Data {
    let question = HTTPRequest(.post, url, body: .bytes(words), followsRedirects: true)
    return try await client.send(question).data(upTo: 1 << 20)
}

func download(_ url: URL, with client: any HTTPClient, progress: (Int) -> Void) async throws(TransportError) -> Data {
    let response = try await client.send(HTTPRequest(.get, url, limits: .init(total: .minutes(5))))
    var data = Data()
    for try await chunk in response.body {
        data.append(chunk)
        progress(data.count)
    }
    return data
}

@Test("A download tells how far it is")
func downloadTellsHowFarItIs() async throws {
    let url = try #require(URL(string: "https://example.org/song"))
    let client = ScriptedHTTPClient([.stream(chunks: [Data("one".utf8), Data("two".utf8)])])
    var seen: [Int] = []
    let data = try await download(url, with: client) { seen.append($0) }
    #expect(data == Data("onetwo".utf8))
    #expect(seen == [3, 6])
}
