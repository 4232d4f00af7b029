import Foundation

extension HTTPRequest {
    /// Checks that the head of a request is valid.
    ///
    /// - Throws: `.malformed` when a field cannot be written as one line, or the method is no token.
    package func checkHead() throws(TransportError) {
        guard method.rawValue.isToken else {
            throw TransportError(.malformed, "a method that is not a token")
        }
        guard headers.fields.allSatisfy(\.isOneLine) else {
            throw TransportError(.malformed, "a header field with a line break, or a name that is not a token")
        }
    }
}

extension Validators {
    /// The validators that can be sent back to the server. A server's text may be invalid as a field's value: a saved
    /// validator with a line break would prevent its entry from ever being loaded again.
    var fitToSend: Validators {
        Validators(
            // No tag contains a space (RFC 9110, 8.8.3); a client may have replaced a line break with one.
            etag: etag.flatMap { $0.canBeSentBack && !$0.contains(" ") ? $0 : nil },
            lastModified: lastModified.flatMap { $0.canBeSentBack ? $0 : nil })
    }
}

extension HTTPResponseHead {
    /// True if the body is compressed although it was not requested so, and its client did not decode it.
    package var isEncoded: Bool {
        headers.fields.contains { field in
            field.name.lowercased() == "content-encoding"
                && field.value.split(separator: ",").contains {
                    $0.trimmingCharacters(in: .whitespaces).lowercased() != "identity"
                }
        }
    }
}

extension InvalidData {
    /// The body was compressed although it was not requested so. Its inflated size has no bound.
    package static let compressed = InvalidData.body("it came compressed, which was not asked for")
}
