import Foundation
import HTTPServer
import Testing

@Suite("The threads for files")
struct FileThreadsTests {
    private actor Shelf {
        func thread() -> String { FileThreadsTests.thread() }
    }

    /// The name of the calling thread, as Linux tells it.
    private nonisolated static func thread() -> String {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return (name ?? "unknown").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    #if os(Linux)
        @Test(
            "All of the work is done on them, from its first line, whatever thread the task came from; and nothing after it"
        )
        func always() async {
            for _ in 0..<2_000 {
                let names = await Task.immediate {
                    let inside = await FileThreads.run {
                        let first = Self.thread()
                        await Task.yield()
                        return [first, Self.thread(), await Shelf().thread()]
                    }
                    return inside + [Self.thread() == "files" ? "stayed" : "left"]
                }.value
                #expect(names == ["files", "files", "files", "left"])
            }
        }
    #endif

    @Test("Fifteen that wait for a disk hold up neither the tasks nor a sixteenth")
    func waiting() async {
        let disk = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<15 { group.addTask { await FileThreads.run { Self.wait(for: disk) } } }
            // This is reached, and runs, while they wait: nobody else wakes them.
            await FileThreads.run { for _ in 0..<15 { disk.signal() } }
        }
    }

    private nonisolated static func wait(for disk: DispatchSemaphore) { disk.wait() }
}
