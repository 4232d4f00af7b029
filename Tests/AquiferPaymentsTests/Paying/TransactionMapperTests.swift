import Aquifer
import Foundation
import Testing

@testable import AquiferPayments

@Suite("A transaction of the contract")
struct TransactionMapperTests {
    private func transaction(
        value: String = "79.9", timestamp: String = "1553145066", success: Bool = true, status: String = #""Aprovada""#
    ) throws -> PaymentTransaction {
        let body = """
            {"transaction":{"id":1,"timestamp":\(timestamp),"value":\(value),"destination_user":{"id":7},
            "success":\(success),"status":\(status)}}
            """
        let url = try #require(URL(string: "http://payments.example/transaction"))
        return try TransactionMapper.map(HTTPResponseHead(status: 200, url: url), Data(body.utf8))
    }

    @Test(
        "An amount is a number, or a text that is one",
        arguments: [("112", 11_200), ("112.5", 11_250), (#""112""#, 11_200), (#""112.00""#, 11_200), (#""0.01""#, 1)])
    func amounts(value: String, cents: Int) throws {
        #expect(try transaction(value: value).cents == cents)
    }

    @Test(
        "A text that only begins with a number is none",
        arguments: [
            "112abc", "112.0.0", " 112", "112 ", "112,00", "112.", ".5", "", "1e2", "+112", "0x70", "\u{664}", "NaN",
        ])
    func noAmounts(value: String) {
        #expect(throws: (any Error).self) { try transaction(value: "\"\(value)\"") }
    }

    @Test("A time that RFC 3339 cannot write is invalid", arguments: ["1e18", "-1e18", "253402300800", "-62167219201"])
    func times(timestamp: String) throws {
        #expect(throws: (any Error).self) { try transaction(timestamp: timestamp) }
        #expect(try transaction(timestamp: "253402300799").date.rfc3339 == "9999-12-31T23:59:59Z")
    }

    @Test(
        "An answer that contradicts itself, or speaks of a third state, decides nothing",
        arguments: [true, false], [#""Aprovada""#, #""Recusada""#, #""Em análise""#, #""""#, "null"])
    func contradictions(success: Bool, status: String) throws {
        if status == (success ? #""Aprovada""# : #""Recusada""#) {
            #expect(try transaction(success: success, status: status).isApproved == success)
        } else {
            #expect(throws: (any Error).self) { try transaction(success: success, status: status) }
        }
    }

    @Test(
        "An answer in which a field stands twice decides nothing",
        arguments: [
            #""success":false,"success":true"#, #""success":true,"\u0073uccess":true"#,
            #""success" : true, "success" :true"#,
        ])
    func doubled(members: String) throws {
        let body = #"{"transaction":{"id":1,"timestamp":1,"value":1,"destination_user":{"id":7},"# + members + "}}"
        #expect(JSONMembers.isAnyDoubled(in: Data(body.utf8)))
        let url = try #require(URL(string: "http://payments.example/transaction"))
        #expect(throws: InvalidData.self) {
            try TransactionMapper.map(HTTPResponseHead(status: 200, url: url), Data(body.utf8))
        }
        let refusal = HTTPResponseHead(status: 400, url: url)
        #expect(RefusalDocument.refuses(refusal, Data(#"{"error":"a"}"#.utf8)))
        #expect(!RefusalDocument.refuses(refusal, Data(#"{"error":"a","error":"b"}"#.utf8)))
    }

    @Test(
        "Equal names in different objects, and texts that look like names, are not doubled",
        arguments: [
            #"{"a":{"b":1},"b":[{"b":1},{"b":2}]}"#, #"{"a":"\"a\":","b":"{\"b\":1"}"#, #"["a","a"]"#, "{", "\"",
            "\"\\", "",
        ])
    func notDoubled(document: String) { #expect(!JSONMembers.isAnyDoubled(in: Data(document.utf8))) }
}
