import Foundation

/// The target that `FUZZ_TARGET` names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    }
    return target
}()

/// Called by libFuzzer for each input. A promise that does not hold ends the process, as a trap does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = start.map { Data(bytes: $0, count: count) } ?? Data()
    do { try target.runAndWait(input) } catch { fatalError("\(target.name): \(error)") }
    return 0
}
