import Foundation
import Testing

@testable import ReferenceAPIs

@Suite("Sound is told by its bytes", .timeLimit(.minutes(10)))
struct AudioFileTests {
    @Test(
        "Each kind has its first bytes",
        arguments: [
            ("ID3\u{4}\0\0\0\0\0\0\0\0", AudioKind.mp3), ("OggS\0\u{2}\0\0\0\0\0\0", .ogg), ("fLaC\0\0\0\u{22}", .flac),
            ("RIFF\u{24}\0\0\0WAVEfmt ", .wav), ("\0\0\0\u{20}ftypM4A \0\0\0\0", .m4a), ("\0\0\0\u{20}ftypisom", .m4a),
        ])
    func kinds(text: String, kind: AudioKind) {
        #expect(AudioKind(firstBytes: Data(text.utf8)) == kind)
    }

    @Test("MP3 without a tag, and WebM")
    func bytes() {
        #expect(AudioKind(firstBytes: Data([0xFF, 0xFB, 0x90, 0xC0])) == .mp3)
        #expect(AudioKind(firstBytes: Data([0xFF, 0xF3, 0x44, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0])) == .mp3)
        #expect(AudioKind(firstBytes: Data([0x1A, 0x45, 0xDF, 0xA3, 1])) == .webm)
    }

    @Test(
        "Pictures, texts, films, archives and next to nothing are none",
        arguments: [
            "", "I", "ID", "Hello, world", "%PDF-1.7\n", "PK\u{3}\u{4}", "GIF89a", "RIFF\0\0\0\0WEBPVP8 ",
            "RIFF\0\0\0\0AVI ",
            "RIFF", "\0\0\0\u{20}ftypheic", "\0\0\0\u{20}ftypavif", "\0\0\0\u{20}ftyp", "<!doctype html>",
            "\0\0\0\0\0\0\0\0",
        ])
    func others(text: String) {
        #expect(AudioKind(firstBytes: Data(text.utf8)) == nil)
    }

    @Test(
        "Frames that are none: of other layers, AAC, free or forbidden rates",
        arguments: [
            [0xFF, 0xF1, 0x50, 0x80], [0xFF, 0xFD, 0x90, 0xC0], [0xFF, 0xFB, 0x00, 0xC0], [0xFF, 0xFB, 0xF0, 0xC0],
            [0xFF, 0xFB, 0x9C, 0xC0], [0xFF, 0xEB, 0x90, 0xC0], [0xFF, 0xD8, 0xFF, 0xE0], [0xFF, 0xFE, 0x41, 0x00],
        ] as [[UInt8]])
    func noFrames(bytes: [UInt8]) {
        #expect(AudioKind(firstBytes: Data(bytes)) == nil)
    }

    private func seconds(_ bytes: Data, _ kind: AudioKind) throws -> Double? {
        let file = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try bytes.write(to: file)
        return try AudioDuration.seconds(of: file, kind)
    }

    @Test(
        "The chunks before the data of a WAV file are passed over, unless there are too many",
        arguments: [0, 900, 1_100])
    func emptyChunks(count: Int) throws {
        var file = Data("RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
        file += [0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0]  // 8 000 bytes a second
        for _ in 0..<count { file += Data("junk".utf8) + [0, 0, 0, 0] }
        file += Data("data".utf8) + [0x40, 0x1F, 0, 0] + Data(count: 8_000)
        #expect(try seconds(file, .wav) == (count < AudioDuration.mostChunks ? 1 : nil))
    }

    @Test("The clips of the remote last as long as is written")
    func ownClips() async throws {
        try await AudioWorld.run(.inProcess) { world in
            for item in try await world.items() {
                let found = try #require(try seconds(try await world.get(item.audio).data, .mp3))
                #expect(abs(found - item.duration) < 0.15, "\(item.title)")
            }
        }
    }

    @Test("MP3 of a constant rate lasts as long as its bytes say, after a tag of any length")
    func constantRate() throws {
        let frames = Data([0xFF, 0xFB, 0x90, 0xC0]) + Data(count: 31_996)  // 128 kbit/s
        #expect(try seconds(frames, .mp3) == 2)
        let tag = Data("ID3\u{4}\0\0\0\0\u{2}\u{0}".utf8) + Data(count: 256)
        #expect(try seconds(tag + frames, .mp3) == 2)
    }

    private func number(_ value: Int, _ bytes: Int) -> Data {
        Data((0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    private func wav(said: Int, bytes: Int, before: Data = Data()) -> Data {
        var data = Data("RIFF".utf8) + number(0, 4) + Data("WAVE".utf8) + before
        data += Data("fmt ".utf8) + number(16, 4) + number(1, 2) + number(1, 2) + number(8000, 4) + number(16_000, 4)
        data += number(2, 2) + number(16, 2)
        return data + Data("data".utf8) + number(said, 4) + Data(count: bytes)
    }

    @Test("WAV lasts as long as its data, whatever comes before, and though who wrote it did not know")
    func waves() throws {
        #expect(try seconds(wav(said: 24_000, bytes: 24_000), .wav) == 1.5)
        #expect(try seconds(wav(said: 24_000, bytes: 24_000) + Data(count: 8_000), .wav) == 1.5)
        let odd = Data("LIST".utf8) + number(3, 4) + Data(count: 4)
        #expect(try seconds(wav(said: 24_000, bytes: 24_000, before: odd), .wav) == 1.5)
        #expect(try seconds(wav(said: 0, bytes: 16_000), .wav) == 1)
        #expect(try seconds(wav(said: 0xFFFF_FFFF, bytes: 16_000), .wav) == 1)
    }

    @Test("What says nothing, or is torn, has no duration, and does no harm", arguments: [AudioKind.mp3, .wav])
    func torn(kind: AudioKind) throws {
        let whole = kind == .wav ? wav(said: 24_000, bytes: 20) : Data("ID3\u{4}\0\0\0\0\u{7F}\u{7F}".utf8)
        for length in 0..<40 { _ = try seconds(whole.prefix(length), kind) }
        #expect(try seconds(Data(count: 5000), kind) == nil)
        #expect(try seconds(Data(), kind) == nil)
    }

    @Test("A post without a duration has the one that its sound says, and 0 where it says none")
    func posted() async throws {
        try await AudioWorld.run(.inProcess) { world in
            let metadata = AudioWorld.Part.metadata(#"{"title":"a"}"#)
            let spoken = try await world.post([metadata, .audio(wav(said: 24_000, bytes: 24_000))])
            #expect(spoken.json["duration"] as? Double == 1.5)
            let item = try JSONDecoder().decode(AudioWorld.Item.self, from: spoken.data)
            #expect(item.audio.pathExtension == "wav")
            #expect(try await world.get(item.audio).headers["Content-Type"] == "audio/wav")
            let other = try await world.post([metadata, .audio(Data("OggS and more".utf8))])
            #expect(other.status == 201 && other.json["duration"] as? Double == 0)
        }
    }

    @Test("What is empty, or no sound, is 422 with words", arguments: Way.allCases)
    func refused(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let metadata = AudioWorld.Part.metadata(#"{"title":"a"}"#)
            let empty = try await world.post([metadata, .audio(Data())])
            #expect(empty.status == 422 && empty.error == "the part audio is empty")
            for bytes in [Data("x".utf8), Data("Hello, this is a text.".utf8), Data(count: 300_000)] {
                let answer = try await world.post([metadata, .audio(bytes)])
                #expect(answer.status == 422)
                #expect(answer.error == "the part audio is no sound: send MP3, Ogg, FLAC, WAV, M4A or WebM")
            }
            #expect(try await world.posted().isEmpty)
        }
    }
}
