import AquiferTesting
import AquiferURLSession
import Testing

@Suite(.serialized) struct URLSessionContractTests {
    @Test("The URLSession client keeps the contract, as far as the system's URLSession goes", arguments: Self.checks)
    func keepsTheContract(_ check: HTTPClientContract.Check) async throws {
        try await check.run { URLSessionHTTPClient() }
    }

    #if canImport(FoundationNetworking)
        /// Without what Swift 6.3.1 gets wrong below the client on Linux.
        private static let checks = HTTPClientContract.checks.filter { check in
            // Cancelling can hang or crash the process; a suspended transfer does not go on.
            check.topic != .cancellation && check.topic != .backPressure && !beyondTheClient.contains(check.name)
        }

        private static let beyondTheClient: Set = [
            // 103 comes as the final answer.
            "Answers before the final one are skipped",
            // A trailer crashes the process: "Transfer completed, but there's no response".
            "A body ends with its last chunk, or with the connection, if its length is not known",
            // The body is not sent again.
            "303 turns a POST into a GET without a body; 307 sends the body again",
            // These three fail with URLError.unknown.
            "Bytes that are not ASCII in a field do no harm",
            "A server that speaks no TLS is insecure for https",
            "More header bytes than allowed are refused, in one field or in many",
        ]
    #else
        private static let checks = HTTPClientContract.checks
    #endif
}
