import AquiferSolana
import AquiferTesting
import Foundation

/// The part of Solana's JSON-RPC that the drive asks. Each request reaches any of the chain's nodes.
final class NodeServer: Sendable {
    private let world: Simulation
    private let chain: Chain
    private let owner: PublicKey

    init(_ world: Simulation, _ chain: Chain, owner: PublicKey) {
        (self.world, self.chain, self.owner) = (world, chain, owner)
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(50)))
        guard request.method == .post,
            let fields = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any],
            let method = fields["method"] as? String
        else { return .init(status: 400) }
        let parameters = fields["params"] as? [Any] ?? []
        let slot = chain.slotOfNode
        guard let result = result(of: method, parameters, at: slot) else {
            return Self.json(["jsonrpc": "2.0", "id": 1, "error": ["code": -32601, "message": "Method not found"]])
        }
        return Self.json(["jsonrpc": "2.0", "id": 1, "result": result])
    }

    private func result(of method: String, _ parameters: [Any], at slot: Int) -> Any? {
        switch method {
        case "getLatestBlockhash":
            let known = slot - Chain.confirming
            guard let hash = Chain.blockhash(known) else { return nil }
            return [
                "context": ["slot": known],
                "value": ["blockhash": "\(hash)", "lastValidBlockHeight": Chain.lastValid(hash)],
            ]
        case "getEpochInfo":
            let final = Chain.finalized(slot)
            return ["absoluteSlot": final, "blockHeight": Chain.height(final), "epoch": 1]
        case "getSignatureStatuses":
            let signature = (parameters.first as? [String])?.first ?? ""
            guard let status = chain.status(of: signature, at: slot) else {
                return ["context": ["slot": slot], "value": [NSNull()]]
            }
            let failure: Any = status.failure.map { ["InstructionError": [0, $0]] } ?? NSNull()
            return [
                "context": ["slot": slot],
                "value": [["confirmationStatus": status.text, "err": failure] as [String: Any]],
            ]
        case "getAccountInfo":
            let (accounts, text) = (chain.confirmed(at: slot), parameters.first as? String ?? "")
            var data: Data?
            if text == "\(chain.program.userInfo(of: owner))", !accounts.isEmpty {
                data = UserInfo(accountCounter: UInt32(accounts.count)).data
            } else if accounts.contains(where: { "\($0.address)" == text }) {
                // Nobody reads more of it than that it is there.
                data = Data("an account".utf8)
            }
            let value: Any =
                data.map {
                    ["owner": "\(chain.program.id)", "data": [$0.base64EncodedString(), "base64"]] as [String: Any]
                } ?? NSNull()
            return ["context": ["slot": slot], "value": value]
        default: return nil
        }
    }

    static func json(_ value: [String: Any], status: Int = 200) -> SimulatedNetwork.Answer {
        // Only these dictionaries are written, and each is valid.
        let body = (try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)) ?? Data()
        return .init(status: status, headers: ["Content-Type": "application/json"], body: body)
    }
}
