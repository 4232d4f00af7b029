import AquiferHTTP

/// The `Link` field of an answer: addresses and their relations (RFC 8288).
enum LinkField {
    /// The first address with a relation; `nil` if there is none.
    static func target(of relation: String, in headers: HTTPHeaders) -> String? {
        for field in headers.values(of: "Link") {
            var rest = Array(field.utf8)[...]
            while let link = next(&rest) {
                // Only the first `rel` of a link counts. It may name several relations.
                let relations = HeaderParameters("link" + link.parameters)?["rel"] ?? ""
                if relations.lowercased().split(separator: " ").contains(Substring(relation)) { return link.target }
            }
        }
        return nil
    }

    /// The next link: what stands between `<` and `>`, and the parameters up to a comma that no quotes enclose.
    private static func next(_ rest: inout ArraySlice<UInt8>) -> (target: String, parameters: String)? {
        guard let open = rest.firstIndex(of: UInt8(ascii: "<")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let target = String(decoding: rest[(open + 1)..<close], as: UTF8.self)
        var end = close + 1
        var isQuoted = false
        while end < rest.endIndex, isQuoted || rest[end] != UInt8(ascii: ",") {
            if rest[end] == UInt8(ascii: "\\"), isQuoted {
                end += 1
            } else if rest[end] == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            end += 1
        }
        end = min(end, rest.endIndex)
        let parameters = String(decoding: rest[(close + 1)..<end], as: UTF8.self)
        rest = rest[end...].dropFirst()
        return (target, parameters)
    }
}
