import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import HTTPServer

@testable import App

/// A server with several users, on folders of its own, as its requests reach it.
@MainActor
final class UsersWorld {
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let folder: URL
    let keys: URL
    let file: UsersFile
    /// The users: those of the file, or those in the stores that replicas share.
    let register: any UserRegister
    let services: Services
    let house: UserHouse
    /// The time that the server believes to have passed.
    let uptime = Locked(Duration.zero)
    private let gate: Gate
    private let site: Site
    private(set) var tokens: [String: String] = [:]

    /// - Parameters:
    ///   - stores: The stores that replicas share; `nil` for files.
    ///   - first: A replica over the same stores, whose keys, users and clock this one has, too.
    init(
        _ names: [String] = ["ana", "bruno"], quota: UInt64 = UserQuota.usual, stores: (any StorePlace)? = nil,
        besides first: UsersWorld? = nil, _ change: (inout Configuration) -> Void = { _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-users-\(UUID().uuidString)")
        keys =
            first?.keys
            ?? FileManager.default.temporaryDirectory.appending(path: "aquifer-keys-\(UUID().uuidString)")
        file = UsersFile(folder.appending(path: UsersFile.usualName).path)
        register = stores?.users ?? file
        if let first {
            tokens = first.tokens
        } else {
            for name in names { tokens[name] = try await register.add(try UserName(name), at: date.now) }
        }
        var configuration = Configuration(data: folder, keys: keys, now: date.read, retry: .never)
        configuration.stores = stores
        change(&configuration)
        services = Services(configuration)
        let nobody = SignedAddresses(token: nil, now: date.read)
        site = Site(services, addresses: nobody)
        house = try await UserHouse(
            services, register, bound: quota, uptime: { [uptime] in uptime.withLock(\.self) })
        gate = Gate(host: "127.0.0.1", port: 80, token: nil, addresses: nobody, users: house.access)
    }

    /// Ends what runs, and removes the folders.
    func end() async {
        await house.rooms.stop()
        await services.stop()
        // A folder that cannot be removed is in one that the system empties.
        for made in [folder, keys] { try? FileManager.default.removeItem(at: made) }
    }

    func name(_ name: String) throws -> UserName { try UserName(name) }

    /// The id under which everything of a user is kept.
    func id(_ user: String) async throws -> UserID { try await register.user(try name(user)).id }

    /// Types a card number, and leaves the form as it is.
    func typeCard(_ user: String, number: String = "4539578763621486") async {
        for (field, value) in [("number", number), ("holder", "Ada"), ("expiry", "1228")] {
            await tell(user, "card-form?tab=tab", "edit", ["field": field, "value": value])
        }
    }

    /// The answer to a request as the server gives it: first by its head, then by its user's apps.
    func ask(
        _ user: String?, _ method: String, _ target: String, _ body: String = ""
    ) async -> ServerResponse {
        await ask(token: user.flatMap { tokens[$0] }, method, target, body)
    }

    func ask(token: String?, _ method: String, _ target: String, _ body: String = "") async -> ServerResponse {
        var fields = HTTPHeaders([.init("Host", "127.0.0.1")])
        if let token { fields["Authorization"] = "Bearer \(token)" }
        let request = ServerRequest(HTTPMethod(rawValue: method), target, headers: fields, body: Data(body.utf8))
        if case .refused(let refusal) = WebServer.admission(of: request, gate) { return refusal }
        return await WebServer.answer(
            request, site, Operations(services, watch: RequestWatch(log: .off), rooms: house.rooms), house)
    }

    /// Sends a screen an intent: `drive?tab=tab`.
    @discardableResult
    func tell(_ user: String, _ screen: String, _ intent: String, _ fields: [String: String] = [:]) async -> Int {
        let all = fields.merging(["intent": intent]) { field, _ in field }
        let body = (try? JSONSerialization.data(withJSONObject: all)) ?? Data()  // texts always can
        let target = "/api/screens/" + screen.replacing("?", with: "/intents?")
        return await ask(user, "POST", target, String(decoding: body, as: UTF8.self)).status
    }

    /// Reads a stream for as long as it is open.
    func listen(_ user: String, _ target: String) async -> OpenStream {
        OpenStream(await ask(user, "GET", target))
    }

    /// Leaves a post of this title in a user's outbox. The audio remote must be offline.
    func leavePost(_ user: String, title: String, sound: String = "sound", tab: String = "tab") async -> Int {
        let taken = await ask(user, "POST", "\(AudioAPI.filePath)?tab=\(tab)&name=rain.mp3", "ID3" + sound).status
        await tell(user, "audio-compose?tab=\(tab)", "title", ["text": title])
        await tell(user, "audio-compose?tab=\(tab)", "later")
        return taken
    }
}

extension UsersWorld {
    /// True once nothing of a user waits to be sent. Time passes: an item that was tried while the remote was offline waits for it.
    func hasSent(_ room: UserRooms.Room) async -> Bool {
        await eventually {
            date.advance(by: 10)
            return (try? await room.services.outbox.items().isEmpty) == true
        }
    }
}

/// Users by their names, which no test has twice at a time.
extension UserRooms {
    func room(of name: UserName) async throws -> Room {
        guard let record = try access.users().first(where: { $0.name == name.text }) else {
            throw UsersError.unknown(name.text)
        }
        return try await room(of: UserIdentity(record))
    }
}

extension UserRegister {
    @discardableResult
    func endTokens(of name: UserName, hash: String? = nil) async throws(UsersError) -> Int {
        try await endTokens(of: user(name).id, hash: hash)
    }

    func setLeaving(_ name: UserName, _ isLeaving: Bool) async throws(UsersError) {
        try await setLeaving(user(name).id, isLeaving)
    }

    func remove(_ name: UserName) async throws(UsersError) { try await remove(user(name).id) }
}

/// An answer whose body is read as it comes.
final class OpenStream: Sendable {
    let status: Int
    private let received = Locked(Data())
    private let isOver = Locked(false)
    private let task: Task<Void, Never>

    init(_ response: ServerResponse) {
        status = response.status
        let (received, isOver) = (received, isOver)
        task = Task {
            defer { isOver.withLock { $0 = true } }
            guard case .stream(_, let body) = response.body else {
                // A body that cannot be read is an empty one, in which a test finds nothing it looks for.
                if let all = try? await response.collectBody() { received.withLock { $0 = all } }
                return
            }
            // However it ends, it has ended.
            try? await body(
                ServerResponseWriter { data throws(ServerStreamError) in
                    if Task.isCancelled { throw .closed }
                    received.withLock { $0.append(data) }
                })
        }
    }

    var text: String { String(decoding: received.withLock(\.self), as: UTF8.self) }
    var hasEnded: Bool { isOver.withLock(\.self) }

    func close() async {
        task.cancel()
        await task.value
    }
}
