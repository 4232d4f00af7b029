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
        get { fields.first { $0.name.isSameHeaderName(as: name) }?.value }
        set {
            fields.removeAll { $0.name.isSameHeaderName(as: name) }
            if let newValue { fields.append(Field(name, newValue)) }
        }
    }

    /// Appends a field line beside any of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }
}

extension String {
    /// Header names are ASCII: folding bytes is enough, and ignores the locale.
    fileprivate func isSameHeaderName(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
