import AquiferFoundation

/// The directives of an answer's `Cache-Control` that a private cache follows (RFC 9111, 5.2.2; RFC 5861, 3; RFC 8246).
///
/// `private`, `public`, `s-maxage`, `proxy-revalidate` and unknown directives say nothing to a private cache.
struct CacheControl: Sendable, Hashable {
    /// `no-store`: the answer may not be saved.
    private(set) var isNotStored = false
    /// `no-cache`, with or without names of fields: each load asks.
    private(set) var isAskedAlways = false
    /// `max-age` in seconds; the smallest if it is repeated, 0 if it is no number.
    private(set) var maxAge: Int64?
    /// `immutable`: the value does not change while it is fresh.
    private(set) var isImmutable = false
    /// `stale-while-revalidate` in seconds; `nil` as well if `must-revalidate` forbids it.
    var staleWhileRevalidate: Int64? { mustRevalidate ? nil : stale }

    private var stale: Int64?
    private var mustRevalidate = false

    /// The largest number of seconds that counts (RFC 9111, 1.2.2).
    static let mostSeconds = Int64(1) << 31

    /// The directives of all fields of this name.
    init(_ fields: [String]) {
        for field in fields {
            var rest = Array(field.utf8)[...]
            while !rest.isEmpty {
                let (name, value) = Self.directive(&rest)
                add(name, value)
            }
        }
    }

    private mutating func add(_ name: String, _ value: String?) {
        switch name {
        case "no-store": isNotStored = true
        case "no-cache": isAskedAlways = true
        case "immutable": isImmutable = true
        case "must-revalidate": mustRevalidate = true
        case "max-age":
            // A number that cannot be read makes the answer stale (RFC 9111, 4.2.1).
            maxAge = min(maxAge ?? Self.mostSeconds, Self.seconds(value) ?? 0)
        case "stale-while-revalidate":
            stale = min(stale ?? Self.mostSeconds, Self.seconds(value) ?? 0)
        default: break
        }
    }

    /// A number of seconds: digits and nothing else. One that is too large becomes the largest.
    static func seconds(_ text: String?) -> Int64? { text?.count(as: Int64.self).map { min($0, mostSeconds) } }

    /// Takes the next directive, up to its comma. The name is in lower case. An unreadable name is empty, and an unreadable
    /// value is missing.
    private static func directive(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String?) {
        let name = text(take(&rest) { $0 != 0x3D && $0 != 0x2C })
        var value: String?
        if rest.first == 0x3D {
            rest.removeFirst()
            if rest.first == 0x22 {
                value = quoted(&rest)
                // Nothing may follow the quotes.
                if !text(take(&rest) { $0 != 0x2C }).isEmpty { value = nil }
            } else {
                value = text(take(&rest) { $0 != 0x2C })
            }
        }
        if rest.first == 0x2C { rest.removeFirst() }
        return (name.isToken ? name.lowercased() : "", value)
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let part = rest.prefix(while: belongs)
        rest = rest[part.endIndex...]
        return part
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes.drop { $0.isBlank }
        while bytes.last?.isBlank == true { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A quoted text, in which a backslash quotes the byte after it; `nil` if it does not end.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == 0x22 { return String(decoding: text, as: UTF8.self) }
            guard byte == 0x5C else {
                text.append(byte)
                continue
            }
            if let next = rest.popFirst() { text.append(next) }
        }
        return nil
    }
}

extension Cache {
    /// Gives an answer what its head says about asking for it; false if it may not be saved.
    func follow(_ head: HTTPResponseHead, _ answer: inout StoredEntry, to request: HTTPHeaders, sentAt: Date) -> Bool {
        let control = CacheControl(head.headers.values(of: "Cache-Control"))
        if control.isNotStored { return false }
        if let variant = Variant(head, to: request) {
            answer.bytes = variant.marking(Variant.parts(of: answer.bytes).bytes)
        }
        if let asking = StoredEntry.Asking(control, head, sentAt: sentAt, receivedAt: answer.savedAt) {
            answer.asking = asking
        }
        return true
    }
}

/// The fields of a request by which a server chose its answer (RFC 9111, 4.1). They precede the bytes of the entry, if there are any.
struct Variant {
    /// The first byte of such an entry, which no other entry has.
    private static let mark: UInt8 = 0xF5
    /// A line for each field: its name, and a checksum of its values. `*` is no request's.
    private let lines: String

    /// The fields that an answer names; `nil` if it names none.
    init?(_ head: HTTPResponseHead, to request: HTTPHeaders) {
        let names = head.headers.values(of: "Vary").flatMap {
            $0.split(separator: ",").map { $0.trimmedOfSpaces.lowercased() }
        }
        if names.isEmpty { return nil }
        let lines = Self.lines(Set(names).sorted(), of: request)
        self.lines = names.contains("*") || lines.utf8.count > Int(UInt16.max) ? "*" : lines
    }

    private init(lines: String) { self.lines = lines }

    private static func lines(_ names: [String], of request: HTTPHeaders) -> String {
        names.map { name in
            let values = request.values(of: name)
            return values.isEmpty ? name : "\(name) \(Checksum.xxh64(values.joined(separator: ",")))"
        }.joined(separator: "\n")
    }

    /// True if the server would choose by this request as it did by that one.
    func matches(_ request: HTTPHeaders) -> Bool {
        let names = lines.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        return lines != "*" && Self.lines(names, of: request) == lines
    }

    /// The bytes of an entry with these fields.
    func marking(_ bytes: Data) -> Data {
        let text = Data(lines.utf8)
        return Data([Self.mark, UInt8(truncatingIfNeeded: text.count >> 8), UInt8(truncatingIfNeeded: text.count)])
            + text + bytes
    }

    /// The bytes of an entry without such fields.
    static func none(_ bytes: Data) -> Data { bytes.first == mark ? Variant(lines: "").marking(bytes) : bytes }

    /// The fields of an entry, if it has some, and the bytes behind them.
    static func parts(of entry: Data) -> (variant: Variant?, bytes: Data) {
        guard entry.first == mark, entry.count >= 3 else { return (nil, entry) }
        let rest = Data(entry.dropFirst())
        let length = Int(rest[0]) << 8 | Int(rest[1])
        guard rest.count >= 2 + length else { return (nil, entry) }
        let lines = String(decoding: rest[2..<(2 + length)], as: UTF8.self)
        return (lines.isEmpty ? nil : Variant(lines: lines), Data(rest[(2 + length)...]))
    }
}

extension StoredEntry.Asking {
    /// The word of a server about an answer; `nil` if it says nothing.
    init?(_ control: CacheControl, _ head: HTTPResponseHead, sentAt: Date, receivedAt: Date) {
        if control.isAskedAlways {
            self.init(askAt: receivedAt)
            return
        }
        let date = head.headers["Date"].flatMap(HTTPDate.parse)
        guard let lifetime = control.maxAge.map(Double.init) ?? Self.lifetime(head, date ?? receivedAt) else {
            return nil
        }
        // RFC 9111, 4.2.3. A clock behind the server's gives no negative age, and one ahead of it makes the answer older.
        let apparent = date.map { max(0, receivedAt.timeIntervalSince($0)) } ?? 0
        // The first of several counts (RFC 9111, 5.1).
        let ages = head.headers["Age"]?.split(separator: ",").first?.trimmedOfSpaces
        let told = CacheControl.seconds(ages).map(Double.init) ?? 0
        let corrected = told + max(0, receivedAt.timeIntervalSince(sentAt))
        let age = min(max(apparent, corrected), Double(CacheControl.mostSeconds))
        let askAt = receivedAt + (lifetime - age)
        self.init(
            askAt: askAt, staleUntil: control.staleWhileRevalidate.map { askAt + Double($0) },
            isImmutable: control.isImmutable)
    }

    /// The lifetime that `Expires` gives; 0 if it cannot be read (RFC 9111, 5.3), `nil` if there is none.
    private static func lifetime(_ head: HTTPResponseHead, _ date: Date) -> Double? {
        guard let expires = head.headers["Expires"] else { return nil }
        guard let end = HTTPDate.parse(expires) else { return 0 }
        return min(max(0, end.timeIntervalSince(date)), Double(CacheControl.mostSeconds))
    }

    /// The same for a copy that the server has confirmed without a word about it: as much time as it had when it was saved.
    func renewed(from savedAt: Date, at now: Date) -> Self {
        if mark != nil || isDenied { return staleUntil == nil ? .unsaid : Self(askAt: now) }
        guard let askAt else { return .unsaid }
        let lifetime = askAt.timeIntervalSince(savedAt)
        return Self(
            askAt: now + lifetime, staleUntil: staleUntil.map { now + lifetime + $0.timeIntervalSince(askAt) },
            isImmutable: isImmutable)
    }
}
