import AquiferFoundation

extension HTTPHeaders.Field {
    /// The maximum length in bytes of a server's text that is sent back to it: servers refuse long heads (often 8 KiB
    /// in all).
    package static let longestEcho = 1 << 10

    /// True if the field can be written as one line. A line break in a value would begin another field, under the
    /// control of the value's author.
    package var isOneLine: Bool {
        let isToken = { (byte: UInt8) in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: ":") && byte != UInt8(ascii: ";")
        }
        return !name.isEmpty && name.utf8.allSatisfy(isToken) && !value.utf8.contains { [0, 0x0A, 0x0D].contains($0) }
    }
}

extension HTTPRequest {
    /// Checks that the head of a request is valid.
    ///
    /// - Throws: `.malformed` when a field cannot be written as one line, or the method is no token.
    package func checkHead() throws(TransportError) {
        guard method.rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !method.rawValue.isEmpty else {
            throw TransportError(.malformed, "a method that is not a token")
        }
        guard headers.fields.allSatisfy(\.isOneLine) else {
            throw TransportError(.malformed, "a header field with a line break or no name")
        }
    }
}

extension String {
    /// True if a server's text, such as a validator, can be sent back unchanged as a field's value (RFC 9110, 5.5):
    /// printable ASCII without surrounding spaces, at most ``HTTPHeaders/Field/longestEcho`` bytes.
    ///
    /// Bytes outside ASCII are read as UTF-8 or Latin-1, and their encoding is no longer known.
    package var canBeSentBack: Bool {
        guard let first = utf8.first, let last = utf8.last, first > 0x20, last > 0x20 else { return false }
        return utf8.count <= HTTPHeaders.Field.longestEcho
            && utf8.allSatisfy { ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }
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
                    $0.trimmedOfSpaces.lowercased() != "identity"
                }
        }
    }
}

extension InvalidData {
    /// The body was compressed although it was not requested so. Its inflated size has no bound.
    package static let compressed = InvalidData.body("it came compressed, which was not asked for")
}
