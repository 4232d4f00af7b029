import AquiferConcurrency
import AquiferSolana
import Foundation

@testable import Aquifer
@testable import AquiferShadowDrive

extension FuzzTarget {
    /// The answers of a drive's server and of a node of Solana's.
    static let drive: [FuzzTarget] = [
        .now("drive-values") { data in
            if let account = try decoded(StorageAccount.self, data) {
                try promise(account.freeBytes <= account.reservedBytes, "more is free than there is")
                try keeps(account, .json)
            }
            if let list = try decoded(AccountList.self, data) {
                try keeps(list, .json)
                let aged = list.aged(Date(timeIntervalSince1970: 0)) { $0.timeIntervalSince1970 < 0 }
                try promise(aged.list.accounts.count <= list.accounts.count, "an account comes from nowhere")
            }
            if let contents = try decoded(AccountContents.self, data) {
                try keeps(contents, .json)
                let file = StoredFile(name: "a", size: .max)
                let less = contents.storing(file).removing(file.name)
                try promise(
                    less.account.currentUsage <= contents.account.currentUsage.saturatingAdding(file.size), "too much")
                try promise(!less.files.contains { $0.name.isExactly("a") }, "a file that was removed is there")
            }
        },
        .later("drive-answers") { data in
            var input = FuzzInput(data)
            let question = input.byte()
            let client = OneAnswer(status: statuses[Int(input.byte()) % statuses.count], body: input.rest)
            guard let url = URL(string: "http://localhost:1/drive") else { return }
            let api = ShadowDriveAPI(base: url, files: url, client: client)
            let account = SolanaPrograms.system
            do {
                switch question % 6 {
                case 0:
                    let found = try await api.storageAccountInfo(account)
                    try promise(found.address == account, "another account")
                case 1: _ = try await api.listObjects(in: account)
                case 2:
                    let files = try await api.listFiles(in: account)
                    try promise(Set(files.map(\.id)).count == files.count, "a file is there twice")
                case 3: _ = try await api.objectData(at: "http://localhost:1/a")
                case 4: _ = try await api.storageUsed(account)
                default:
                    _ = try await api.deleteFile(at: "a", signer: account, signature: Signature(constant: zeros))
                }
            } catch let error as DriveError {
                try check(error, isChange: question % 6 == 5)
            }
        },
        .later("rpc-answers") { data in
            var input = FuzzInput(data)
            let question = input.byte()
            let client = OneAnswer(status: statuses[Int(input.byte()) % statuses.count], body: input.rest)
            guard let url = URL(string: "http://localhost:1/rpc") else { return }
            let rpc = SolanaRPC(url: url, client: client)
            let key = SolanaPrograms.system
            do {
                switch question % 6 {
                case 0:
                    let recent = try await rpc.recentBlockhash()
                    _ = ChainProgress(slot: .max, blockHeight: .max).isPast(recent)
                case 1: _ = try await rpc.account(key, of: key, as: StorageConfig.self)
                case 2: _ = try await rpc.outcome(of: Signature(constant: zeros))
                case 3:
                    let recent = RecentBlockhash(Blockhash(constant: "11111111111111111111111111111111"))
                    try promise(!(try await rpc.progress()).isPast(recent), "a blockhash without an end is past")
                case 4: _ = try await rpc.lamports(of: key)
                default: _ = try await rpc.tokens(in: key)
                }
            } catch let error as DriveError { try check(error, isChange: false) }
        },
    ]

    private static let statuses = [200, 200, 200, 201, 400, 401, 404, 408, 429, 500, 502, 304]
    /// A signature of 64 zeros.
    private static let zeros: StaticString = "1111111111111111111111111111111111111111111111111111111111111111"

    private static func decoded<Value: Decodable>(_: Value.Type, _ data: Data) throws -> Value? {
        try mapped { try JSONDecoder().decode(Value.self, from: data) }
    }

    private static func check(_ error: DriveError, isChange: Bool) throws {
        try promise(isChange || !error.isOutcomeUnknown, "a question has an unknown outcome")
        if case .refused(let refusal) = error.cause {
            try promise(refusal.words.count <= DriveRefusal.wordsLimit, "a server's words are too long")
            try promise(!refusal.words.contains(where: \.isNewline), "a server's words have two lines")
        }
        _ = error.description
    }
}

/// A client that gives one answer to every request.
private struct OneAnswer: HTTPClient {
    let status: Int
    let body: Data

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        HTTPResponse(head: HTTPResponseHead(status: status, url: request.url), source: Source(body))
    }

    private final class Source: HTTPBodySource {
        private let left: Locked<Data?>
        init(_ body: Data) { left = Locked(body.isEmpty ? nil : body) }
        func next() async throws(TransportError) -> Data? { left.withLock { $0.take() } }
        func cancel() {}
    }
}
