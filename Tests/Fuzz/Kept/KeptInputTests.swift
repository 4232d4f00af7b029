import Foundation
import Testing

/// The inputs that fuzzing kept, without the fuzzer: `make fuzz` found them, and each once reached something new.
@Suite("Kept inputs of fuzzing")
struct KeptInputTests {
    @Test("Each target's kept inputs keep its promises", arguments: FuzzTarget.all.map(\.name))
    func keptInputs(_ name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.corpora.appending(path: name), includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files.sorted(by: { $0.path < $1.path }) {
            let input = try Data(contentsOf: file)
            do { try await target.run(input) } catch {
                Issue.record("\(name)/\(file.lastPathComponent): \(error)")
            }
        }
    }

    @Test("Each target takes an empty input, and each length of zeros and of 0xFF")
    func plainInputs() async throws {
        for target in FuzzTarget.all {
            for count in 0..<80 {
                for byte: UInt8 in [0, 0xFF] {
                    do { try await target.run(Data(repeating: byte, count: count)) } catch {
                        Issue.record("\(target.name), \(count) bytes of \(byte): \(error)")
                    }
                }
            }
        }
    }

    @Test("No two targets have one name")
    func names() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }

    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpora")
}
