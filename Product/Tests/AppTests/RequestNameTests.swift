import Testing

@testable import App

@Suite("The names of requests", .timeLimit(.minutes(10)))
struct RequestNameTests {
    @Test("are 32 hexadecimal digits, and none comes twice, also from several threads at once")
    func names() async {
        let names = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { (0..<500).map { _ in RequestName.next() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(names).count == 4_000)
        let digits = Set("0123456789abcdef")
        #expect(names.allSatisfy { $0.utf8.count == 32 && digits.isSuperset(of: $0) })
    }

    @Test("differ at each digit, so that a short form of one tells it apart, too")
    func spread() {
        let names = (0..<64).map { _ in Array(RequestName.next()) }
        for place in 0..<32 { #expect(Set(names.map { $0[place] }).count > 4, "digit \(place)") }
    }
}
