#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ValueType<String> {
    /// A name, or an IP address in its usual form. `0` and `127.1` are addresses, too, which browsers write differently.
    /// The value is in small letters, as browsers write names.
    static var host: ValueType {
        form("a name or an IP address") { text in
            let text = text.lowercased()
            var bytes = in6_addr()
            let isAddress = inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
            let last = text.split(separator: ".").last ?? ""
            let isNumber = last.allSatisfy(\.isWholeNumber) || last.lowercased().hasPrefix("0x")
            let isName = text.utf8.allSatisfy { byte in
                byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                    || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
            }
            return isAddress || isName && !isNumber && !text.hasPrefix("-") ? text : nil
        }
    }
}
