import Aquifer
import AquiferCCurl
import AquiferFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension EasyHandle {
    /// The meaning of a failure of curl. `isConnected`: true if a connection had been made; `socketFailure`: why the last socket could not
    /// be opened, else 0.
    func error(for code: CURLcode, isConnected: Bool, _ socketFailure: Int32) -> TransportError {
        var kind = TransportError.Kind(code)
        // Before there is a connection it can be no header line: the system has no memory or no thread left.
        // Nor is it an answer that did not come: a proxy refused, or nobody answered in time.
        if !isConnected, code == CURLE_OUT_OF_MEMORY || [.interrupted, .timedOut].contains(kind) {
            kind = .cannotConnect
        }
        // Without a descriptor there is no socket, and no name can be looked up.
        let shortage = kind == .cannotConnect ? socketFailure : kind == .cannotResolve ? aq_descriptor_shortage() : 0
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(shortage) {
            return .outOfResources("a socket", shortage)
        }
        if kind == .cannotConnect, saysThatThereIsNoNetwork { kind = .offline }
        // The server of names is beyond the network: without one, no name has an address.
        if kind == .cannotResolve, !NetworkInterfaces.mayReachOthers { kind = .offline }
        return TransportError(kind, text(for: code))
    }

    private var saysThatThereIsNoNetwork: Bool {
        var code = 0
        aq_curl_get_long(easy, CURLINFO_OS_ERRNO, &code)
        return code == Int(ENETUNREACH) || code == Int(ENETDOWN)
    }
}

extension TransportError.Kind {
    /// Looked up in <https://curl.se/libcurl/c/libcurl-errors.html>.
    fileprivate init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_URL_MALFORMAT: .unsupportedURL
            case CURLE_COULDNT_RESOLVE_HOST: .cannotResolve
            case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_INTERFACE_FAILED,
                CURLE_NO_CONNECTION_AVAILABLE, CURLE_FAILED_INIT:
                .cannotConnect
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
                CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
                CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
                .insecure
            // The scheme was seen to be http(s) before: this is an answer that is not HTTP/1 at all.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .malformed
            // A header line beyond curl's own 100 KB; newer ones have a code for it.
            case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): .headersTooLarge
            default: .interrupted
            }
    }
}
