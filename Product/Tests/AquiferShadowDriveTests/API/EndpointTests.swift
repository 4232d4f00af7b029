import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Endpoints", .timeLimit(.minutes(10)))
struct EndpointTests {
    @Test("there are eleven, and the account's size")
    func eleven() {
        #expect(Set(Endpoint.all.map(\.name)).count == 12)
    }

    @Test("sends what the contract says, and takes any 2xx", arguments: Endpoint.all, EndpointWay.allCases)
    func sends(endpoint: Endpoint, way: EndpointWay) async throws {
        for status in [200, 201, 202, 299] {
            let outcome = try await way.call(endpoint, [.json(endpoint.good, status: status)])
            #expect(outcome.error == nil)
            let seen = try #require(outcome.seen.first)
            #expect(outcome.seen.count == 1 && seen.authorization == nil)
            switch endpoint.kind {
            case .query:
                #expect(seen.method == "GET" && seen.body.isEmpty)
                let query = endpoint.fields.map { "\($0)=\($1)" }.joined(separator: "&")
                #expect(seen.target == "/\(endpoint.name)?\(query)")
            case .json:
                #expect(seen.method == "POST" && seen.target == "/\(endpoint.name)")
                #expect(seen.contentType == "application/json")
                let body = try JSONSerialization.jsonObject(with: Data(seen.body.utf8))
                #expect(body as? [String: String] == endpoint.fields)
            case .form:
                #expect(seen.method == "POST" && seen.target == "/\(endpoint.name)")
                #expect(seen.contentType.hasPrefix("multipart/form-data; boundary="))
                #expect(seen.form.fields == endpoint.fields && seen.form.files == ["a#b.txt"])
            }
        }
    }

    @Test("an answer that is not the contract's is invalid data", arguments: Endpoint.all, EndpointWay.allCases)
    func invalid(endpoint: Endpoint, way: EndpointWay) async throws {
        for body in endpoint.bad + ["", "no JSON", "<html></html>", "[]", "null", "7"] {
            let told = try await way.error(of: endpoint, .json(body))
            guard case .invalidData? = told?.cause else {
                Issue.record("\(body) was taken, or is \(String(describing: told))")
                continue
            }
            #expect(told?.isOutcomeUnknown == endpoint.isChange)
        }
    }

    @Test(
        "a refusal is told in the server's words, bounded, on one line",
        arguments: Endpoint.all, EndpointWay.allCases)
    func refused(endpoint: Endpoint, way: EndpointWay) async throws {
        for status in [400, 401, 403, 404, 409, 413, 429, 500, 502, 503] {
            let told = try await way.error(of: endpoint, .error("no\\n\\u001b[31m way", status: status))
            guard case .refused(let refusal)? = told?.cause else {
                Issue.record("\(status) is \(String(describing: told))")
                continue
            }
            #expect(told?.isOutcomeUnknown == (endpoint.isChange && (status == 429 || status >= 500)), "\(status)")
            #expect(refusal.status == status && refusal.words == "no [31m way")
            if status == 401 { #expect(refusal.reason == .badSignature) }
        }
        let long = String(repeating: "word ", count: 1000)
        guard case .refused(let refusal)? = try await way.error(of: endpoint, .error(long, status: 400)) else {
            Issue.record("a long refusal is none")
            return
        }
        #expect(refusal.words.count == DriveRefusal.wordsLimit && refusal.words.hasSuffix("…"))
    }

    @Test("what is no JSON has words too, a page has none", arguments: Endpoint.all, EndpointWay.allCases)
    func unreadableRefusal(endpoint: Endpoint, way: EndpointWay) async throws {
        let words = DriveRefusal(status: 400, words: "plain words")
        #expect(try await way.error(of: endpoint, .json("plain words", status: 400)) == .refused(words))
        let page = DriveRefusal(status: 400, words: "")
        #expect(
            try await way.error(of: endpoint, .json("<html>a page</html>", status: 400))
                == endpoint.told(.refused(page)))
        let inside = DriveRefusal(status: 200, words: "said in a 200")
        #expect(try await way.error(of: endpoint, .json(#"{"error":"said in a 200"}"#)) == .refused(inside))
    }

    @Test("no answer, or half of one, is a connectivity error", arguments: Endpoint.all, EndpointWay.allCases)
    func noAnswer(endpoint: Endpoint, way: EndpointWay) async throws {
        let cut = ScriptedHTTPClient.Reply.stream(chunks: [Data("{".utf8)], error: TransportError(.interrupted))
        for reply in [.failure(TransportError(.interrupted)), cut] {
            let told = try await way.error(of: endpoint, reply)
            guard case .connectivity(let error)? = told?.cause, error.kind == .interrupted else {
                Issue.record("is \(String(describing: told))")
                continue
            }
            #expect(told?.isOutcomeUnknown == endpoint.isChange)
        }
    }

    @Test("what never went out leaves nothing open, and leaving is no failure of the network", arguments: Endpoint.all)
    func notSent(endpoint: Endpoint) async throws {
        let way = EndpointWay.inProcess
        #expect(try await way.error(of: endpoint, .offline) == .connectivity(TransportError(.cannotConnect)))
        #expect(try await way.error(of: endpoint, .failure(TransportError(.cancelled))) == endpoint.told(.cancelled))
    }

    @Test(
        "what a gateway says for a silent server leaves a change open, whatever its words",
        arguments: Endpoint.all, EndpointWay.allCases)
    func gateway(endpoint: Endpoint, way: EndpointWay) async throws {
        for status in [502, 504] {
            let page = try await way.error(of: endpoint, .json("<html>Bad gateway</html>", status: status))
            #expect(page == endpoint.told(.refused(DriveRefusal(status: status, words: ""))))
            let words = try await way.error(of: endpoint, .error("no way", status: status))
            #expect(words == endpoint.told(.refused(DriveRefusal(status: status, words: "no way"))))
        }
    }

    @Test(
        "a change is told as refused only when the server itself refused it before anything was done",
        arguments: Endpoint.all.filter(\.isChange))
    func onlyRefusals(endpoint: Endpoint) async throws {
        let way = EndpointWay.inProcess
        let page = "<html>Log in</html>"
        let open: [(Int, String)] = [
            (500, #"{"error":"Internal"}"#), (500, page), (500, ""), (500, "went wrong"), (502, #"{"error":"x"}"#),
            (504, #"{"error":"Transaction simulation failed: Blockhash not found"}"#), (520, ""), (524, page),
            (511, page), (407, #"{"error":"proxy"}"#), (408, #"{"error":"slow"}"#), (425, #"{"error":"early"}"#),
            (429, #"{"error":"Too many requests"}"#), (429, "slow down"), (403, page), (404, ""), (400, ""),
            (400, #"{"error":"Transaction was not confirmed in 30.00 seconds"}"#), (500, #"{"error":"timed out"}"#),
            (400, #"{"message":"no error document"}"#),
        ]
        for (status, body) in open {
            let told = try await way.error(of: endpoint, .json(body, status: status))
            #expect(told?.isOutcomeUnknown == true, "\(status) \(body) is \(String(describing: told))")
        }
        let refused: [(Int, String)] = [
            (400, #"{"error":"no"}"#), (400, "no"), (401, #"{"error":"bad signature"}"#), (409, #"{"error":"no"}"#),
            (500, #"{"error":"Transaction simulation failed: Blockhash not found"}"#),
            (500, #"{"error":"failed to send transaction: Transaction simulation failed: custom program error: 0x1"}"#),
        ]
        for (status, body) in refused {
            let told = try await way.error(of: endpoint, .json(body, status: status))
            guard case .refused? = told else {
                Issue.record("\(status) \(body) is \(String(describing: told))")
                continue
            }
        }
    }

    @Test(
        "questions are asked again when the server is out of order, changes never are",
        arguments: Endpoint.all, EndpointWay.allCases)
    func retries(endpoint: Endpoint, way: EndpointWay) async throws {
        let outcome = try await way.call(
            endpoint, [.error("busy", status: 503), .json(endpoint.good)], retry: RetryPolicy(base: .zero))
        #expect((outcome.error == nil) == !endpoint.isChange)
        #expect(outcome.seen.count == (endpoint.isChange ? 1 : 2))
    }

    @Test("list-objects: a 500 says that the account may be empty", arguments: EndpointWay.allCases)
    func emptyAccount(way: EndpointWay) async throws {
        let endpoint = Endpoint.all.first { $0.name == "list-objects" }!
        guard case .refused(let refusal)? = try await way.error(of: endpoint, .json("", status: 500)) else {
            Issue.record("is no refusal")
            return
        }
        #expect(refusal.reason == .emptyAccount && "\(refusal)".contains("without files"))
    }

    @Test(
        "get-object-data: an absent file is told as such",
        arguments: ["{}", #"{"file_data":null}"#], EndpointWay.allCases)
    func absent(body: String, way: EndpointWay) async throws {
        let endpoint = Endpoint.all.first { $0.name == "get-object-data" }!
        #expect(try await way.error(of: endpoint, .json(body)) == .noSuchFile(endpoint.fields["location"]!))
    }
}
