import Dispatch
import Foundation

/// Walks one hot path so many times, for a program that counts its instructions: `HotPaths PATH COUNT FOLDER`.
/// `HotPaths list` prints the paths. `Scripts/instructions` compares the counts with those in `Benchmarks/instructions.json`.
@main
enum Main {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.elementsEqual(["list"]) {
            for path in HotPath.allCases { print(path.rawValue) }
            return
        }
        guard words.count == 3, let path = words.first.flatMap(HotPath.init(rawValue:)),
            let count = Int(words[words.startIndex + 1]), let folder = words.last
        else {
            FileHandle.standardError.write(Data("usage: HotPaths PATH COUNT FOLDER, or HotPaths list\n".utf8))
            exit(64)
        }
        Task.detached {
            do {
                try await path.walk(count, in: URL(filePath: folder, directoryHint: .isDirectory))
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("HotPaths: \(path.rawValue): \(error)\n".utf8))
                exit(1)
            }
        }
        // The main thread waits here: an asynchronous `main` ends it in `sigsuspend`, at which valgrind 3.19 crashes.
        DispatchSemaphore(value: 0).wait()
    }
}
