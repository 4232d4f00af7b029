import Foundation
import HTTPServer

extension ServerResponse {
    /// A refusal with a word: `{"error":"…"}`.
    static func error(_ status: Int, _ message: String) -> ServerResponse {
        let data = (try? JSONEncoder().encode(["error": message])) ?? Data("{}".utf8)  // a text always encodes
        return .json(data, status: status)
    }
}

/// Entity tags of answers that have no version of their own.
enum ETag {
    /// FNV-1a: any function of the bytes that differs when they do will do for an ETag.
    static func of(_ data: Data) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\(String(hash, radix: 16))-\(data.count)"
    }
}
