import Foundation

/// Encodes a streamed answer while it is written. The answer's `Content-Encoding` names the encoding.
///
/// The server calls one function at a time, under a lock: neither may block.
public protocol StreamEncoder: AnyObject, Sendable {
    /// The next piece, encoded. A client that has all pieces so far can decode all of them.
    func encode(_ piece: Data) -> Data
    /// The end of the encoded stream, after the last piece.
    func end() -> Data
}
