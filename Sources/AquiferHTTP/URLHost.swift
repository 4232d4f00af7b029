extension String {
    /// A host as it stands in a URL: an IPv6 address in brackets, every other host as it is (RFC 3986, 3.2.2).
    package var asURLHost: String { contains(":") && !hasPrefix("[") ? "[\(self)]" : self }
}
