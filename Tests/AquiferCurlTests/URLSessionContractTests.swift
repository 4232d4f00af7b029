import AquiferTesting
import AquiferURLSession
import Testing

@Suite(.serialized) struct URLSessionContractTests {
    @Test("The URLSession client keeps the contract", arguments: HTTPClientContract.checks)
    func keepsTheContract(_ check: HTTPClientContract.Check) async throws {
        try await check.run { URLSessionHTTPClient() }
    }
}
