import CMicrohttpd
import Foundation

/// The places of a request's header fields in libmicrohttpd's memory, so that bytes between them can be seen.
///
/// Versions before 0.9.77 take a line that goes on in the next one (obsolete line folding) for a longer name: `Transfer-Encoding:`
/// and a second line with `chunked` become a header called `Transfer-Encodingchunked`. They end a value at a NUL and drop a line
/// without a name. A proxy reads all three otherwise, and the two would disagree where the request ends. Those versions keep
/// each field where it was received: whatever lies between two fields must be line ends and white space.
struct RawHead {
    private struct Line {
        let name: Range<UInt>
        let value: Range<UInt>
    }

    private var lines: [Line] = []
    private var isMissing = false

    /// True if the library is of a version that needs this.
    static let isNeeded: Bool = {
        let numbers = String(cString: MHD_get_version()).split(separator: ".").map { Int($0) ?? 0 }
        return numbers.lexicographicallyPrecedes([0, 9, 77])
    }()

    /// Notes a field, in the order they come.
    mutating func add(_ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int)
    {
        guard Self.isNeeded else { return }
        guard let name, let value else {
            isMissing = true
            return
        }
        let (start, middle) = (UInt(bitPattern: name), UInt(bitPattern: value))
        lines.append(Line(name: start..<start + UInt(nameSize), value: middle..<middle + UInt(valueSize)))
    }

    /// True if nothing but white space lies between the fields of a head that begins at `start` and has so many bytes.
    func hidesNothing(start: UnsafePointer<CChar>, count: Int) -> Bool {
        guard Self.isNeeded else { return true }
        guard !isMissing else { return false }
        let head = UnsafeRawBufferPointer(start: start, count: count)
        let base = UInt(bitPattern: start)
        let end = base + UInt(count)
        for (number, line) in lines.enumerated() {
            let next = number + 1 < lines.count ? lines[number + 1].name.lowerBound : end
            guard line.name.lowerBound >= base, line.name.upperBound < line.value.lowerBound,
                line.value.upperBound <= next,
                next <= end
            else { return false }
            // The colon has become a NUL, and so have line ends.
            let between = head[Int(line.name.upperBound - base)..<Int(line.value.lowerBound - base)]
            let after = head[Int(line.value.upperBound - base)..<Int(next - base)]
            guard between.allSatisfy({ $0 == 0 || $0 == 0x3A || $0.isBlank }),
                after.allSatisfy({ $0 == 0 || $0 == 0x0D || $0 == 0x0A || $0.isBlank })
            else { return false }
        }
        return true
    }
}
