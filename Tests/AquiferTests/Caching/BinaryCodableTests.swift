import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("The binary form of values")
struct BinaryCodableTests {
    struct Note: BinaryCodable, Equatable {
        static let format: UInt8 = 3
        var id: UUID
        var text: String
        var place: String?
        var date: Date
        var count: UInt64

        init(id: UUID, text: String, place: String?, date: Date, count: UInt64) {
            self.id = id
            self.text = text
            self.place = place
            self.date = date
            self.count = count
        }

        init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
            id = try reader.uuid()
            text = try reader.string()
            place = try reader.optionalString()
            date = try reader.date()
            count = try reader.uint()
        }

        func write(to writer: inout BinaryWriter) {
            writer.write(id)
            writer.write(text)
            writer.write(place)
            writer.write(date)
            writer.write(count)
        }
    }

    private static let notes = [
        Note(id: UUID(), text: "", place: nil, date: .distantPast, count: 0),
        Note(id: UUID(), text: "São Luís 🌧️ \u{0}", place: "", date: Date(timeIntervalSince1970: 0.1), count: 127),
        Note(id: UUID(), text: String(repeating: "é", count: 300), place: "Lençóis", date: .now, count: .max),
    ]

    @Test("A value comes back as it was written")
    func roundTrip() throws {
        let bytes = BinaryWriter.encode(Self.notes)
        #expect(try BinaryReader.decode(bytes) == Self.notes)
        #expect(try BinaryReader.decode(BinaryWriter.encode([Note]())) == [Note]())
    }

    @Test("Bytes that end early are refused, wherever they end")
    func truncated() {
        let bytes = BinaryWriter.encode(Self.notes)
        for length in 0..<bytes.count {
            #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(bytes.prefix(length)) as [Note] }
        }
    }

    @Test("Bytes that are left over are refused")
    func tooLong() {
        let bytes = BinaryWriter.encode(Self.notes) + Data([0])
        #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(bytes) as [Note] }
    }

    @Test("Bytes of another format are refused")
    func otherFormat() {
        var bytes = BinaryWriter.encode(Self.notes)
        bytes[0] = 2
        #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(bytes) as [Note] }
    }

    /// A value that has got a field since its format 1.
    struct Grown: BinaryCodable, Equatable {
        static let format: UInt8 = 3
        static let oldestFormat: UInt8 = 2
        var text: String
        var count: UInt64?

        init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
            text = try reader.string()
            count = reader.format == 2 ? nil : try reader.uint()
        }

        func write(to writer: inout BinaryWriter) {
            writer.write(text)
            writer.write(count ?? 0)
        }
    }

    @Test("A type that names an older format reads its bytes, alone and in a list, and refuses those before and after")
    func olderFormat() throws {
        let one: Grown = try BinaryReader.decode(Data([2, 1, 0x61]))
        #expect(one.text == "a" && one.count == nil)
        #expect((try BinaryReader.decode(Data([3, 1, 0x61, 7])) as Grown).count == 7)
        #expect(try BinaryReader.decode(Data([2, 2, 1, 0x61, 1, 0x61])) == [one, one])
        for format: UInt8 in [0, 1, 4, 255] {
            #expect(throws: BinaryReader.Failure.self) {
                _ = try BinaryReader.decode(Data([format, 1, 0x61, 7])) as Grown
            }
            #expect(throws: BinaryReader.Failure.self) {
                _ = try BinaryReader.decode(Data([format, 1, 1, 0x61])) as [Grown]
            }
        }
    }

    @Test("A text that is not UTF-8 is refused")
    func notUTF8() {
        var bytes = BinaryWriter.encode(Note(id: UUID(), text: "ab", place: nil, date: .now, count: 1))
        bytes[18] = 0xFF
        #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(bytes) as Note }
    }

    @Test(
        "A number in a form that no writer gives it is refused",
        arguments: [
            [0x80, 0x00], [0xFF, 0x80, 0x00],
            // 2 to the power of 64, whose highest bit would be lost.
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
        ] as [[UInt8]])
    func otherForms(number: [UInt8]) {
        let bytes =
            BinaryWriter.encode(Note(id: UUID(), text: "ab", place: nil, date: .now, count: 0)).dropLast() + number
        #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(Data(bytes)) as Note }
    }

    @Test("The largest number comes back", arguments: [0, 127, 128, .max] as [UInt64])
    func largestNumber(number: UInt64) throws {
        let note = Note(id: UUID(), text: "ab", place: nil, date: .now, count: number)
        #expect(try BinaryReader.decode(BinaryWriter.encode(note)) == note)
    }

    @Test("Bytes made at random are refused or read, and never crash", arguments: 0..<50)
    func noise(seed: Int) {
        var generator = SeededNumbers(seed: UInt64(seed))
        for _ in 0..<200 {
            var bytes = Data([Note.format])
            for _ in 0..<Int.random(in: 0..<80, using: &generator) {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
            do { _ = try BinaryReader.decode(bytes) as [Note] } catch { #expect(!"\(error)".isEmpty) }
        }
    }

    @Test("A count that cannot be true reserves no memory")
    func hugeCount() {
        let bytes = Data([Note.format]) + Data([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
        #expect(throws: BinaryReader.Failure.self) { _ = try BinaryReader.decode(bytes) as [Note] }
    }
}
