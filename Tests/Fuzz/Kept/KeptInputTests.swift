import Foundation
import Testing

/// The inputs that fuzzing kept, without the fuzzer: `make fuzz` found them, and each once reached something new.
///
/// One test at a time: a target whose decoder reads a file has one file for all of its inputs.
@Suite("Kept inputs of fuzzing", .serialized)
struct KeptInputTests {
    @Test("Each target's kept inputs keep its promises", arguments: FuzzTarget.all.map(\.name))
    func keptInputs(_ name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let lines = try String(contentsOf: Self.corpora.appending(path: "\(name).txt"), encoding: .ascii)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(!lines.isEmpty)
        for line in lines {
            let input = try Self.input(line)
            do { try await target.run(input) } catch {
                Issue.record("\(name), \(line): \(error)")
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

    /// The input that a line stands for: `%XX` is a byte, as Scripts/fuzz writes it.
    private static func input(_ line: Substring) throws -> Data {
        let parts = line.split(separator: "%", omittingEmptySubsequences: false)
        return try parts.dropFirst().reduce(into: Data(parts[0].utf8)) { data, part in
            data.append(try #require(UInt8(part.prefix(2), radix: 16)))
            data.append(contentsOf: part.dropFirst(2).utf8)
        }
    }

    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpora")
}
