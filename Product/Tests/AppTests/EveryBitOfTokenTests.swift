import EveryBit
import Foundation
import Testing

@testable import App

/// Every bit and every length of the token's file.
@Suite("Each bit flipped and each length cut, in the token", .timeLimit(.minutes(60)))
struct EveryBitOfTokenTests {
    @Test("the token, or another one that nobody else knows")
    func token() async throws {
        try await Fixture.withFolder { folder in
            let token = AccessToken.kept(in: folder)
            let fixture = try Fixture(folder)
            // It is documented that a damaged token is replaced, and that a changed digit makes another token.
            let sweep = try await Sweep("Token of the server", AccessToken.file, of: fixture, mayChange: true) { _ in
                let found = AccessToken.kept(in: folder)
                guard found.count == 32, found.allSatisfy(\.isHexDigit) else { return .wrong("\(found)") }
                guard found == AccessToken.kept(in: folder) else { return .wrong("it does not stay") }
                return found == token ? .unchanged : .told("another token")
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    }
}
