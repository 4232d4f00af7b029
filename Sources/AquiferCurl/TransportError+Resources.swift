import Aquifer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension TransportError {
    /// The system has nothing left of something that a request needs. That may pass, like a connection that fails.
    static func outOfResources(_ what: String, _ code: Int32) -> TransportError {
        TransportError(.cannotConnect, "the system has no room for \(what): \(String(cString: strerror(code)))")
    }

    /// The system has no memory left for something that a request needs.
    static func outOfMemory(_ what: String) -> TransportError { outOfResources(what, ENOMEM) }
}
