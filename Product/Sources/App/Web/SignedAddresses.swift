import Aquifer
import AquiferCrypto
import Foundation
import HTTPServer

/// Signed addresses for resources that a browser loads without a script, such as sound and downloads: it cannot send
/// the token with these.
///
/// A signed address contains its expiry time and an authentication code over the whole address. The key of the code is
/// derived from the token. The address admits `GET` and `HEAD` for ten to fifteen minutes. It stays valid after a
/// restart of the server, because the token stays the same.
struct SignedAddresses: Sendable {
    /// The prefixes of paths that can be signed. All other paths require the token itself.
    static let prefixes = ["/api/screens/audio/clips/", "/api/screens/drive-account/files/"]
    /// The interval at which addresses change. States are sent again at this interval, so that the addresses of an open
    /// page are always valid.
    static let step = Duration.minutes(5)
    /// The longest life of an address, in steps.
    private static let steps = 3

    /// The key; `nil` without a token. Addresses are then left unsigned, and no request needs a signature.
    private let key: SealingKey?
    /// Names the token of a user, for ``UserAccess``; `nil` if the server has one token only.
    private let session: String?
    private let now: @Sendable () -> Date

    /// The field of an address that names the token of a user.
    static let sessionField = "session"

    /// The name of a user's token in addresses. It tells nothing about the token.
    static func session(of hash: String) -> String {
        String(SHA256Hash.hash(Data("aquifer session 1\0\(hash)".utf8)).hexadecimal.prefix(16))
    }

    /// The addresses of one token of a user, which open nothing of another user, and nothing after the token has ended.
    ///
    /// - Parameter secret: Known to the server only.
    init(user: String, hash: String, secret: String, now: @escaping @Sendable () -> Date) {
        let seed = Data("aquifer addresses of users 1\0\(secret)\0\(user)\0\(hash)".utf8)
        // Without libsodium no address is signed, and no signed address is admitted.
        key = try? SealingKey(bytes: SHA256Hash.hash(seed))
        session = Self.session(of: hash)
        self.now = now
    }

    /// - Parameter token: The token that the key is derived from; `nil` if anyone who reaches the server may use it.
    init(token: String?, now: @escaping @Sendable () -> Date) {
        // Without libsodium no address is signed, and no signed address is admitted.
        key = token.flatMap { try? SealingKey(bytes: SHA256Hash.hash(Data("aquifer addresses 1\0\($0)".utf8))) }
        session = nil
        self.now = now
    }

    /// The address with its expiry time and its code. An address that was signed before is signed again. An address
    /// that may not be signed is returned unchanged.
    func sign(_ address: String) -> String {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key, Self.mayBeSigned(String(parts[0])) else { return address }
        var items = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
        items.removeAll { item in ["expires=", "signature=", "\(Self.sessionField)="].contains { item.hasPrefix($0) } }
        if let session { items.append("\(Self.sessionField)=\(session)") }
        let step = Self.step / .seconds(1)
        let end = ((now().timeIntervalSince1970 / step).rounded(.down) + Double(Self.steps)) * step
        items.append("expires=\(Int64(exactly: end.rounded()) ?? 0)")
        let unsigned = "\(parts[0])?\(items.joined(separator: "&"))"
        let code = key.code(of: Self.message(ServerRequest("GET", unsigned)))
        return "\(unsigned)&signature=\(code.hexadecimal)"
    }

    /// True if the request is for a signed address that has not expired.
    func admits(_ request: ServerRequest) -> Bool {
        guard let key, ["GET", "HEAD"].contains(request.method), Self.mayBeSigned(request.rawPath),
            let signature = request.queryValue("signature").flatMap({ Data(hexadecimal: $0) }),
            let end = request.queryValue("expires").flatMap({ Int64($0) })
        else { return false }
        // A clock that was set back must not extend an address's life by more than that life.
        let left = Double(end) - now().timeIntervalSince1970
        guard left > 0, left <= Double(Self.steps) * (Self.step / .seconds(1)) else { return false }
        return key.isCode(signature, of: Self.message(request))
    }

    private static func mayBeSigned(_ path: String) -> Bool { prefixes.contains { path.hasPrefix($0) } }

    /// All of an address but the code. Each part is preceded by its length, so that no two addresses have the same
    /// message.
    private static func message(_ request: ServerRequest) -> Data {
        var message = Data()
        func add(_ text: String) { message.append(contentsOf: "\(text.utf8.count):\(text)".utf8) }
        add(request.rawPath)
        for (name, value) in request.query where name != "signature" {
            add(name)
            add(value)
        }
        return message
    }
}
