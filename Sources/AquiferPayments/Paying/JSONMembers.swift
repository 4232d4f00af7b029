import AquiferFoundation

/// The names of the members of JSON objects.
enum JSONMembers {
    /// True if an object of a document has two members of one name: readers take the first or the last of them, so that nothing that
    /// decides about money may follow from either. What is no JSON is left to the decoder.
    static func isAnyDoubled(in document: Data) -> Bool {
        let bytes = [UInt8](document)
        // Only UTF-16 and UTF-32 have such bytes. Nothing is known of the names in them.
        guard !bytes.contains(0) else { return true }
        // The names in each open object; `nil` for an array.
        var open: [Set<String>?] = []
        var place = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "["): open.append(nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "\""):
                let end = endOfText(in: bytes, from: place)
                if !open.isEmpty, open[open.count - 1] != nil, isName(bytes, before: end) {
                    // Two spellings of one name, as with escapes, are one.
                    let name = try? JSONDecoder().decode(String.self, from: Data(bytes[place..<end]))
                    if let name, open[open.count - 1]?.insert(name).inserted == false { return true }
                }
                place = end - 1
            default: break
            }
            place += 1
        }
        return false
    }

    /// The place behind the closing quotation mark.
    private static func endOfText(in bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, bytes.count)
    }

    /// True if a colon follows.
    private static func isName(_ bytes: [UInt8], before end: Int) -> Bool {
        bytes[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
