import Foundation
import HTTPServer

extension ServerResponse {
    /// A refusal with its reason: `{"error":"…"}`.
    static func error(_ status: Int, _ message: String) -> ServerResponse {
        let data = (try? JSONEncoder().encode(["error": message])) ?? Data("{}".utf8)  // a text always encodes
        return .json(data, status: status)
    }
}

/// Makes entity tags of answers that have no version of their own.
enum ETag {
    /// The FNV-1a hash. Any function that differs when the bytes differ will do for an ETag.
    static func of(_ data: Data) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\(String(hash, radix: 16))-\(data.count)"
    }
}
