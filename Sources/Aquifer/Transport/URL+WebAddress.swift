import AquiferFoundation

extension URL {
    /// True if this is an absolute `http` or `https` address with a host: the only kind that a remote may point to.
    public var isWebAddress: Bool {
        let scheme = scheme?.lowercased()
        return (scheme == "http" || scheme == "https") && host()?.isEmpty == false
    }
}
