import AquiferCurl
import AquiferTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CurlContractTests {
    @Test("The curl client keeps the contract", arguments: HTTPClientContract.checks)
    func keepsTheContract(_ check: HTTPClientContract.Check) async throws {
        try await check.run { CurlHTTPClient() }
    }
}
