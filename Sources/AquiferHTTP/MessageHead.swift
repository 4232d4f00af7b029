// The head of a message (RFC 9112, 2.1): the method of a request or the status of an answer, and the header fields.

/// A request method (RFC 9110, 9).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The token on the request line. Methods are case-sensitive.
    public let rawValue: String
    /// A method of this token.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A method of this token.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The token.
    public var description: String { rawValue }

    /// The `GET` method, which reads.
    public static let get: HTTPMethod = "GET"
    /// The `HEAD` method, which reads without a body.
    public static let head: HTTPMethod = "HEAD"
    /// The `POST` method, which sends.
    public static let post: HTTPMethod = "POST"
    /// Puts the body in the place of what is at the URL.
    public static let put: HTTPMethod = "PUT"
    /// Changes a part of what is at the URL.
    public static let patch: HTTPMethod = "PATCH"
    /// Deletes what is at the URL.
    public static let delete: HTTPMethod = "DELETE"

    /// True if a request of this method changes nothing on the server: `GET`, `HEAD`, `OPTIONS` and `TRACE` (RFC 9110,
    /// 9.2.1). An unknown method may change something.
    public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }

    /// True if repeating a request of this method has no further effect (RFC 9110, 9.2.2). It is false for an unknown
    /// method.
    public var isIdempotent: Bool { isSafe || rawValue == "PUT" || rawValue == "DELETE" }
}

/// The classes of status codes (RFC 9110, 15).
public enum HTTPStatus {
    /// True if the request succeeded: 200 … 299.
    public static func isSuccess(_ status: Int) -> Bool { (200...299).contains(status) }

    /// True if the answer leads to another address, to which a client may repeat the request: 301, 302, 303, 307, 308.
    public static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// True if the server failed to carry out a valid request: 500 … 599.
    public static func isServerError(_ status: Int) -> Bool { (500...599).contains(status) }
}

/// Header fields in their given order. Names are case-insensitive (RFC 9110, 5.1).
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field line: a name and its value.
    public struct Field: Sendable, Hashable {
        /// The name as it was written.
        public var name: String
        /// The value, without surrounding white space.
        public var value: String

        /// A field of this name and value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order.
    public private(set) var fields: [Field]

    /// These fields, in this order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field($0, $1) })
    }

    /// The first value of a name, or `nil`; setting replaces every field of that name.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let newValue { fields.append(Field(name, newValue)) }
        }
    }

    /// Every value of a name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// The value of a name; `nil` also if there are several that differ: nobody knows which one counts.
    package func single(_ name: String) -> String? {
        guard let first = self[name], values(of: name).allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The number of fields of a name.
    package func count(of name: String) -> Int {
        fields.reduce(0) { $1.name.equalsIgnoringASCIICase(name) ? $0 + 1 : $0 }
    }

    /// Appends a field line beside any of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    /// Sets every field of `others`, each in place of those of its name.
    public mutating func set(_ others: HTTPHeaders) {
        fields.reserveCapacity(fields.count + others.fields.count)
        for field in others.fields { self[field.name] = field.value }
    }
}

extension HTTPHeaders.Field {
    /// True if the field can be written as one line. A line break in a value would begin another field, under the
    /// control of the value's author.
    package var isOneLine: Bool { name.isToken && !value.utf8.contains { [0, 0x0A, 0x0D].contains($0) } }
}

extension String {
    /// True if the texts differ in the case of ASCII letters at most. Tokens of HTTP are ASCII: folding bytes is enough,
    /// and ignores the locale.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// True if the text is a token, as methods and the names of fields are (RFC 9110, 5.6.2).
    package var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// The maximum length in bytes of a server's text that is sent back to it: servers refuse long heads (often 8 KiB
    /// in all).
    package static var longestEcho: Int { 1 << 10 }

    /// True if a server's text, such as a validator, can be sent back unchanged as a field's value (RFC 9110, 5.5):
    /// printable ASCII without surrounding spaces, at most ``longestEcho`` bytes.
    ///
    /// Bytes outside ASCII are read as UTF-8 or Latin-1, and their encoding is no longer known.
    package var canBeSentBack: Bool {
        guard let first = utf8.first, let last = utf8.last, first > 0x20, last > 0x20 else { return false }
        return utf8.count <= Self.longestEcho && utf8.allSatisfy { ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }
    }
}

extension StringProtocol {
    /// The text as a count: ASCII digits and nothing else. A count that is too large becomes the largest number.
    package func count<Number: FixedWidthInteger>(as _: Number.Type = Number.self) -> Number? {
        guard !isEmpty, utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Number(self) ?? .max
    }
}

extension UInt8 {
    /// A space or a tab.
    package var isBlank: Bool { self == 0x20 || self == 0x09 }

    fileprivate var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
