import AquiferTesting
import AquiferURLSession
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct URLSessionContractTests {
    @Test("The URLSession client keeps the contract, as far as the system's URLSession goes", arguments: Self.checks)
    func keepsTheContract(_ check: HTTPClientContract.Check) async throws {
        try await check.run { URLSessionHTTPClient() }
    }

    #if canImport(FoundationNetworking)
        /// The checks without those that Swift 6.3.1 fails below the client on Linux.
        private static let checks = HTTPClientContract.checks.filter { check in
            // Cancelling can hang or crash the process; a suspended transfer does not go on; on a busy machine a redirect
            // can crash the process: "Received callback for HTTP redirection, but we're not waiting for it".
            ![.cancellation, .backPressure, .redirects].contains(check.topic) && !beyondTheClient.contains(check.name)
        }

        private static let beyondTheClient: Set = [
            // A thousand redirects, each of which can crash the process.
            "The limit on the whole transfer counts the redirects in",
            // 103 comes as the final answer.
            "Answers before the final one are skipped",
            // A trailer crashes the process: "Transfer completed, but there's no response".
            "A body ends with its last chunk, or with the connection, if its length is not known",
            "Trailers without end behind a whole body reach the limit of the header bytes",
            // It counts as silence when the other side takes what the system holds of a body.
            "A server that takes a body slowly is not silent, though the system holds what is left of it",
            // curl, below, sends a DELETE again by itself, and URLSession tells of the second connection only.
            "A request that may have been carried out is not said to be unsent",
            // These three fail with URLError.unknown.
            "Bytes that are not ASCII in a field do no harm",
            "A server that speaks no TLS is insecure for https",
            "More header bytes than allowed are refused, in one field or in many",
        ]
    #else
        private static let checks = HTTPClientContract.checks
    #endif
}
