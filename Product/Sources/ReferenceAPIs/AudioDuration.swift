import Foundation

/// Reads the length of a file of sound from its headers: WAV, and MP3 of a constant bit rate or with a count of frames.
enum AudioDuration {
    /// The length in seconds; `nil` when the headers do not tell it, or the file is of another kind.
    static func seconds(of file: URL, _ kind: AudioKind) throws -> Double? {
        guard kind == .mp3 || kind == .wav else { return nil }
        let handle = try FileHandle(forReadingFrom: file)
        // The file was only read; `closeFile()` would trap.
        defer { try? handle.close() }
        let length = try handle.seekToEnd()
        return try kind == .mp3 ? mp3(handle, length) : wav(handle, length)
    }

    /// The most chunks of a WAV file that are looked at. A recorder writes a few before the data.
    static let mostChunks = 1_000

    private static func read(_ file: FileHandle, at offset: UInt64, _ count: Int) throws -> [UInt8] {
        try file.seek(toOffset: offset)
        return Array(try file.read(upToCount: count) ?? Data())
    }

    private static func mp3(_ file: FileHandle, _ length: UInt64) throws -> Double? {
        var start: UInt64 = 0
        let tag = try read(file, at: 0, 10)
        if tag.count == 10, tag.starts(with: Array("ID3".utf8)) {
            // Each byte of the size holds seven bits.
            start = 10 + tag[6...9].reduce(UInt64(0)) { $0 << 7 | UInt64($1 & 0x7F) }
        }
        let bytes = try read(file, at: start, 4096)
        guard let first = bytes.indices.first(where: { MP3Frame(bytes[$0...].prefix(4)) != nil }),
            let frame = MP3Frame(bytes[first...].prefix(4))
        else { return nil }
        let counts = first + frame.offsetOfCounts
        let hasCounts = ["Xing", "Info"].contains {
            bytes[min(counts, bytes.count)...].starts(with: Array($0.utf8))
        }
        if hasCounts, bytes.count >= counts + 12, bytes[counts + 7] & 1 == 1 {
            let frames = bytes[(counts + 8)..<(counts + 12)].reduce(0) { $0 << 8 | Int($1) }
            return Double(frames * frame.samples) / Double(frame.sampleRate)
        }
        return Double(length - min(length, start + UInt64(first))) * 8 / Double(frame.bitRate)
    }

    private static func wav(_ file: FileHandle, _ length: UInt64) throws -> Double? {
        var offset: UInt64 = 12
        var bytesPerSecond = 0
        // A file of nothing but empty chunks would take two calls of the system for each eight bytes.
        for _ in 0..<mostChunks where offset + 8 <= length {
            let head = try read(file, at: offset, 20)
            guard head.count >= 8 else { return nil }
            func number(_ range: Range<Int>) -> UInt64 {
                head[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            let size = number(4..<8)
            switch String(decoding: head[0..<4], as: UTF8.self) {
            case "fmt " where head.count >= 20: bytesPerSecond = Int(number(16..<20))
            case "data":
                // A recorder that streams does not know the size: it writes zero or the largest number.
                let left = length - offset - 8
                let bytes = size == 0 ? left : min(size, left)
                return bytesPerSecond > 0 ? Double(bytes) / Double(bytesPerSecond) : nil
            default: break
            }
            offset += 8 + size + size % 2
        }
        return nil
    }
}

/// The head of a frame of MPEG audio, layer III.
struct MP3Frame {
    let bitRate: Int
    let sampleRate: Int
    /// The number of samples in one frame.
    let samples: Int
    /// The offset of a count of frames from the frame's first byte, if there is one.
    let offsetOfCounts: Int

    private static let bitRates1 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let bitRates2 = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// `nil` when the bytes begin no such frame.
    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(4))
        guard head.count == 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0, head[1] >> 1 & 3 == 1 else { return nil }
        let version = head[1] >> 3 & 3  // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
        let rate = Int(head[2] >> 4)
        let frequency = Int(head[2] >> 2 & 3)
        guard version != 1, (1...14).contains(rate), frequency < 3 else { return nil }
        let isFirst = version == 3
        bitRate = (isFirst ? Self.bitRates1 : Self.bitRates2)[rate - 1] * 1000
        sampleRate = [44100, 48000, 32000][frequency] / (isFirst ? 1 : version == 2 ? 2 : 4)
        samples = isFirst ? 1152 : 576
        let isMono = head[3] >> 6 == 3
        offsetOfCounts = 4 + (isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    }
}
