import Foundation

@testable import Aquifer
@testable import AquiferCurl
@testable import AquiferHTTP
@testable import HTTPServer

extension FuzzTarget {
    /// HTTP's heads, dates, ranges and compressed bodies.
    static let messages: [FuzzTarget] = [
        .now("answer-heads") { data in
            var parser = HeadParser(limit: 4_096)
            for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
                let step = (line + [0x0A]).withUnsafeBytes { parser.add($0) }
                switch step {
                case .more: continue
                case .refused: return
                case .complete(let status, let headers):
                    return try check(HTTPResponseHead(status: status, headers: headers, url: somewhere))
                }
            }
        },
        .now("request-heads") { data in try checkRequest(data.asText) },
        .now("header-parameters") { data in
            guard let header = HeaderParameters(data.asText) else { return }
            try promise(header.value.isSame(header.value.lowercased()), "a value is not in lower case")
            // By bytes: Swift's characters take the Greek question mark for a semicolon.
            try promise(!header.value.utf8.contains(UInt8(ascii: ";")), "a value goes on after its end")
        },
        .now("ranges") { data in
            var input = FuzzInput(data)
            let length = input.number()
            let text = input.restText
            if case .part(let part) = ByteRange(text, length: length) {
                try promise(!part.isEmpty && part.upperBound <= length, "a range is outside of the content")
                if part.upperBound <= UInt64(Int.max), length <= UInt64(Int.max) {
                    let told = ContentRange(ContentRange.text(part, of: length))
                    try promise(
                        told?.bytes == Int(part.lowerBound)..<Int(part.upperBound), "a range is told as another")
                    try promise(told?.total == Int(length), "a length is told as another")
                }
            }
            guard let range = ContentRange(text) else { return }
            try promise((range.total ?? 0) >= 0, "a length is negative")
            try promise(range.bytes.map { $0.lowerBound >= 0 && !$0.isEmpty } ?? true, "a range is empty")
        },
        .now("dates") { data in
            let text = data.asText
            if let date = HTTPDate.parse(text) {
                try promise(HTTPDate.parse(HTTPDate.format(date)) == date, "a date of HTTP is written as another")
            }
            if let date = Date(rfc3339: text) {
                let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
                try promise(Date(rfc3339: date.rfc3339) == whole, "a date is written as another")
            }
            var input = FuzzInput(data)
            let date = Date(timeIntervalSince1970: Double(bitPattern: input.number()))
            try promise(Date(rfc3339: date.rfc3339) != nil, "a date is written so that it cannot be read")
            try promise(HTTPDate.parse(HTTPDate.format(date)) != nil, "a date of HTTP cannot be read")
        },
        .now("gzip") { data in
            var input = FuzzInput(data)
            let size = Int(input.byte()) + 1
            let file = input.rest
            let pieces = stride(from: 0, to: file.count, by: size).map { file.dropFirst($0).prefix(size) }
            let (whole, split) = (try inflated([file]), try inflated(pieces.map { Data($0) }))
            try promise(whole == split, "a body depends on how it was split")
        },
    ]

    static let somewhere = URL(filePath: "/")

    private static func check(_ head: HTTPResponseHead) throws {
        try promise((200...999).contains(head.status), "a status that is none")
        for field in head.headers.fields {
            try promise(!field.value.utf8.contains { [0, 0x0A, 0x0D].contains($0) }, "a value has a line break")
        }
        let validators = Validators(head)
        try promise(validators.fitToSend == validators, "a validator cannot be sent back")
        try promise((head.contentLength ?? 0) >= 0, "a length is negative")
        try promise(
            head.retryAfter(Date(timeIntervalSince1970: 0)).map { $0.wait >= .zero } ?? true, "a wait is negative")
        if let tag = head.resumeTag { try promise(tag.canBeSentBack, "a tag cannot be sent back") }
        let questions = [
            DownloadQuestion.all, .ifChanged(validators), .rest(from: 10, tag: "\"a\"", total: nil),
            .rest(from: 10, tag: "\"a\"", total: 20),
        ]
        for question in questions {
            guard case .rest(let end, let total) = DownloadAnswer(head, to: question) else { continue }
            try promise(end > 10 && end <= total ?? .max, "a part is outside of its file")
        }
        _ = (head.mediaType, PercentEncoding.decode(head.headers["Location"] ?? ""))
    }

    /// A request line, then header lines.
    private static func checkRequest(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3 else { return }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1).map { String(Substring($0)) }
            headers.add(parts.first ?? "", parts.count > 1 ? parts[1] : "")
        }
        let target = words[1].utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(Substring(target[0]))
        if RequestHead.fault(method: words[0], target: path, version: words[2], headers: headers) == nil {
            try promise(headers.fields.allSatisfy(\.isOneLine), "a field begins another one")
            try promise(headers.values(of: "Content-Length").count < 2, "a request has two lengths")
            let hasCoding = headers["Transfer-Encoding"] != nil
            try promise(!hasCoding || headers["Content-Length"] == nil, "a request has two ends")
        }
        let request = ServerRequest(HTTPMethod(rawValue: words[0]), words[1], headers: headers)
        try promise(request.rawPath.isSame(path), "a path ends elsewhere")
        guard target.count == 2 else { return try promise(request.query.isEmpty, "there is a query from nowhere") }
        let expected = Data(target[1]).split(separator: UInt8(ascii: "&")).map { item in
            item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
        }
        try promise(request.query.count == expected.count, "the items of a query are others")
        for (item, parts) in zip(request.query, expected) {
            try promise(item.name.isSame(parts[0]), "an item of a query has another name")
            try promise(item.value.isSame(parts.count > 1 ? parts[1] : ""), "an item of a query has another value")
        }
    }

    /// An item of a query, byte by byte.
    private static func decoded(_ item: Data) -> String {
        var bytes: [UInt8] = []
        var rest = item[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                digits.allSatisfy(\.isASCII),
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What a compressed body holds, up to a megabyte; `nil` if it is none.
    private static func inflated(_ pieces: [Data]) throws -> Data? {
        guard let inflater = Inflater() else { throw BrokenPromise(description: "there is no decoder") }
        var all = Data()
        do throws(TransportError) {
            for piece in pieces {
                inflater.add(piece)
                while let next = try inflater.next() {
                    all.append(next)
                    if all.count >= 1 << 20 { return all.prefix(1 << 20) }
                }
            }
            try inflater.finish()
        } catch { return nil }
        return all
    }
}
