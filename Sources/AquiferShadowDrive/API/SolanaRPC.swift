import Aquifer
import AquiferFoundation

/// A client of Solana's JSON-RPC. It reads the latest blockhash, an account's bytes and a wallet's balance. It sends a
/// transaction and reads its outcome.
public struct SolanaRPC: Sendable {
    /// An account on the chain.
    public struct Account: Sendable, Hashable {
        /// The program that owns it.
        public let owner: PublicKey
        /// The account's bytes.
        public let data: Data
    }

    /// The address of the node.
    public let url: URL
    private let client: any HTTPClient
    let retry: RetryPolicy

    /// The address of Solana's public node.
    public static let publicURL = "https://api.mainnet-beta.solana.com"

    /// Creates a client of a node.
    ///
    /// - Parameters:
    ///   - url: the address of the node.
    ///   - client: carries out the requests.
    ///   - retry: the policy for repeating a question; never by default. Transactions are sent once.
    public init(url: URL, client: any HTTPClient, retry: RetryPolicy = .never) {
        self.url = url
        self.client = client
        self.retry = retry
    }

    private struct BlockhashResult: Decodable, Sendable {
        struct Context: Decodable, Sendable { let slot: UInt64? }
        let context: Context?
        let value: RecentBlockhash
    }

    /// The latest blockhash and its validity. Transactions can use it for about a minute.
    public func recentBlockhash() async throws(DriveError) -> RecentBlockhash {
        let result: BlockhashResult = try await call(
            "getLatestBlockhash", [.object(["commitment": .text("confirmed")])], retry)
        var recent = result.value
        recent.slot = result.context?.slot
        return recent
    }

    /// The latest blockhash. Transactions can use it for about a minute.
    public func latestBlockhash() async throws(DriveError) -> Blockhash { try await recentBlockhash().blockhash }

    private struct AccountResult: Decodable, Sendable {
        struct Value: Decodable, Sendable {
            let owner: PublicKey
            let data: [String]
        }
        let value: Value?

        private enum CodingKeys: String, CodingKey { case value }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            // Only a `null` says that there is no account. A missing key says nothing.
            value = try fields.decodeNil(forKey: .value) ? nil : fields.decode(Value.self, forKey: .value)
        }
    }

    /// An account; `nil` if there is none.
    public func account(_ address: PublicKey) async throws(DriveError) -> Account? {
        let result: AccountResult = try await call(
            "getAccountInfo",
            [.text("\(address)"), .object(["encoding": .text("base64"), "commitment": .text("confirmed")])], retry)
        guard let value = result.value else { return nil }
        guard value.data.count == 2, value.data[1] == "base64", let data = Data(base64Encoded: value.data[0]) else {
            throw .invalidData(.body(".result.value.data is not base64"))
        }
        return Account(owner: value.owner, data: data)
    }

    /// An account of a known kind that `program` owns; `nil` if there is none.
    ///
    /// - Throws: ``DriveError/invalidData(_:)`` if the account belongs to another program or is of another kind.
    public func account<Layout: AccountLayout>(
        _ address: PublicKey, of program: PublicKey, as layout: Layout.Type = Layout.self
    ) async throws(DriveError) -> Layout? {
        guard let account = try await account(address) else { return nil }
        guard account.owner == program else {
            throw .invalidData(.body("the account \(address) belongs to another program"))
        }
        do throws(AccountDataError) { return try Layout(data: account.data) } catch {
            throw .invalidData(.body("\(address): \(error)"))
        }
    }

    /// Sends a transaction, once.
    ///
    /// - Returns: the signature that identifies the transaction on Solana.
    /// - Throws: ``DriveError/outcomeUnknown(because:)`` if the transaction was sent and no conclusive answer came.
    public func send(_ transaction: SolanaTransaction) async throws(DriveError) -> Signature {
        do throws(DriveError) {
            let signature: Signature = try await call(
                "sendTransaction",
                [
                    .text(transaction.base64),
                    .object(["encoding": .text("base64"), "preflightCommitment": .text("confirmed")]),
                ], .never)
            guard signature == transaction.signature else {
                throw .invalidData(.body(".result is another signature than the transaction's"))
            }
            return signature
        } catch { throw error.afterSending }
    }

    // MARK: JSON-RPC

    enum Parameter: Encodable {
        case text(String)
        case flag(Bool)
        case list([Parameter])
        case object([String: Parameter])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .flag(let flag): try container.encode(flag)
            case .list(let list): try container.encode(list)
            case .object(let object): try container.encode(object)
            }
        }
    }

    private struct Call: Encodable {
        let jsonrpc = "2.0"
        let id = 1
        let method: String
        let params: [Parameter]
    }

    private struct Answer<Result: Decodable & Sendable>: Decodable, Sendable {
        struct Failure: Decodable, Sendable {
            let code: Int
            let message: String
        }
        let result: Result?
        let error: Failure?
    }

    func call<Result: Decodable & Sendable>(
        _ method: String, _ params: [Parameter], _ retry: RetryPolicy
    ) async throws(DriveError) -> Result {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body: Data
        do { body = try encoder.encode(Call(method: method, params: params)) } catch {
            throw .invalidData(.body("the request cannot be written"))  // strings always can
        }
        let request = HTTPRequest(
            .post, url, headers: ["Content-Type": "application/json", "Accept": "application/json"],
            body: .bytes(body))
        let whole = try await WholeAnswer(to: request, client, retry)
        // A refusal may come with any status. Its words take precedence over the status.
        let decoded: Answer<Result>
        do { decoded = try JSONDecoder().decode(Answer<Result>.self, from: whole.body) } catch {
            guard HTTPStatus.isSuccess(whole.head.status) else {
                throw .refused(DriveRefusal(status: whole.head.status, words: ""))
            }
            throw .invalidData(InvalidData(mapping: error))
        }
        if let failure = decoded.error { throw .refused(DriveRefusal(status: failure.code, words: failure.message)) }
        guard HTTPStatus.isSuccess(whole.head.status) else {
            throw .refused(DriveRefusal(status: whole.head.status, words: ""))
        }
        guard let result = decoded.result else { throw .invalidData(.body("there is no \"result\"")) }
        return result
    }
}
