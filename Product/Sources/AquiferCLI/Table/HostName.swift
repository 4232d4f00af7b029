#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ValueType<String> {
    /// A name, or an IP address in its usual form. `0` and `127.1` are addresses, too, which browsers write differently.
    static var host: ValueType {
        form("a name or an IP address") { text in
            var bytes = in6_addr()
            let isAddress = inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
            let last = text.split(separator: ".").last ?? ""
            let isNumber = last.allSatisfy(\.isWholeNumber) || last.lowercased().hasPrefix("0x")
            return isAddress || !isNumber ? text : nil
        }
    }
}
