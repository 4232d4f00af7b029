import Aquifer
import AquiferConcurrency
import Testing

@testable import AquiferCurl

@Suite("Loading libcurl")
struct CurlLibraryTests {
    @Test("a failure is told and not kept: the library is loaded again until it is there, and never after that")
    func failing() {
        let answers = Locked(["no descriptor", "no memory", nil, "asked too often"])
        let library = CurlLibrary { answers.withLock { $0.removeFirst() } }
        #expect(library.obstacle == "no descriptor")
        #expect(library.obstacle == "no memory")
        #expect(library.obstacle == nil)
        #expect(library.obstacle == nil)
        #expect(answers.withLock(\.count) == 1)
    }
}
