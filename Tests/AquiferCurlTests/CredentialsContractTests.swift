import Aquifer
import AquiferCurl
import AquiferTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CredentialsContractTests {
    @Test(
        "The client that adds credentials keeps the contract of the one behind it", arguments: HTTPClientContract.checks
    )
    func keepsTheContract(_ check: HTTPClientContract.Check) async throws {
        try await check.run {
            // The servers of the contract have ports of their own: all of them may see the token.
            AuthenticatingClient(CurlHTTPClient(), isOurs: { _ in true }) {
                .bearer("token", owner: "ann")
            } renew: { _ in
                nil
            }
        }
    }
}
