import AquiferConcurrency
import Testing

@Suite("A value that one task waits for", .timeLimit(.minutes(1)))
struct AwaitedTests {
    @Test("is had whether it is given before or after it is asked for, and only the first counts")
    func order() async {
        let early = Awaited<Int>()
        early.give(1)
        early.give(2)
        #expect(await early.get() == 1)
        let late = Awaited<Int>()
        async let found = late.get()
        late.give(3)
        #expect(await found == 3)
    }

    @Test("comes to each of many tasks that wait while another thread gives")
    func race() async {
        for _ in 0..<100 {
            let all = (0..<20).map { _ in Awaited<Int>() }
            await withTaskGroup(of: Bool.self) { group in
                for (number, each) in all.enumerated() { group.addTask { await each.get() == number } }
                group.addTask {
                    for (number, each) in all.enumerated() { each.give(number) }
                    return true
                }
                for await isRight in group { #expect(isRight) }
            }
        }
    }
}
