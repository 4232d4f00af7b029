import Aquifer
import Foundation
import Testing

@testable import AquiferCurl

@Suite struct HeadParserTests {
    private func parse(_ lines: [String], limit: Int = 1000) -> HeadParser.Step {
        var parser = HeadParser(limit: limit)
        var step = HeadParser.Step.more
        for line in lines {
            step = Array("\(line)\r\n".utf8).withUnsafeBytes { parser.add($0) }
            if case .more = step { continue }
            break
        }
        return step
    }

    @Test("Fields keep their order; a continued line belongs to the one before it")
    func fields() throws {
        guard case .complete(let status, let headers) = parse(["HTTP/2 404", "A: 1", "B:2", "A:  3", "\t4 ", ""]) else {
            Issue.record("no head")
            return
        }
        #expect(status == 404)
        #expect(headers == HTTPHeaders([.init("A", "1"), .init("B", "2"), .init("A", "3 4")]))
    }

    @Test("A carriage return within a value is a space: whoever passes the value on passes one line on")
    func lineBreakInside() {
        guard case .complete(_, let headers) = parse(["HTTP/1.1 200 OK", "ETag: \"a\rb\"", "B: 1", " \r2", ""]) else {
            Issue.record("no head")
            return
        }
        #expect(headers == HTTPHeaders([.init("ETag", "\"a b\""), .init("B", "1 2")]))
    }

    @Test("Endless answers before the final one reach the limit")
    func endless() {
        let lines = Array(repeating: ["HTTP/1.1 103 Early Hints", "X: y", ""], count: 100).flatMap { $0 }
        guard case .refused(let error) = parse(lines) else {
            Issue.record("they were taken")
            return
        }
        #expect(error.kind == .headersTooLarge)
    }

    @Test(
        "A status that is no status is malformed",
        arguments: ["HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 99", "HTTP/1.1 1000"])
    func status(_ line: String) {
        guard case .refused(let error) = parse([line]) else {
            Issue.record("it was taken")
            return
        }
        #expect(error.kind == .malformed)
    }
}
