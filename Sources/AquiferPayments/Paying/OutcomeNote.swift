import Aquifer
import AquiferFoundation

/// The outcome of a payment that its sender could not record, in the file of its lock. There is room for it before the payment is sent,
/// so that it can be written on a full disk, too. The next command that can records it.
struct OutcomeNote: Codable, Sendable {
    /// The sender.
    let owner: UUID
    let outcome: PaymentOutcome

    /// The room for a note in bytes. A note has less than half of it: a checksum, and the note as JSON.
    private static let room = 1024
    private static let sumLength = 16

    init(owner: UUID, outcome: PaymentOutcome) {
        self.owner = owner
        self.outcome = outcome
    }

    /// The note in a file; `nil` if there is none that is whole.
    init?(_ file: POSIX.File) {
        let bytes = try? POSIX.data(Self.room) { (buffer) throws(StoreError) in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            _ = try POSIX.read(file, into: buffer, at: 0)
        }
        // A file that cannot be read has no note, and so has one with anything else in it.
        guard let text = bytes?.prefix(while: { $0 != 0 }), text.count > Self.sumLength,
            let note = try? JSONDecoder().decode(OutcomeNote.self, from: Data(text.dropFirst(Self.sumLength))),
            Self.sum(of: Data(text.dropFirst(Self.sumLength))) == Data(text.prefix(Self.sumLength))
        else { return nil }
        self = note
    }

    /// Makes room for a note. One that is there stays.
    static func makeRoom(in file: POSIX.File) throws(StoreError) {
        if let size = try POSIX.size(file), size >= room { return }
        try write(Data(count: room), to: file)
    }

    /// Writes the note in the room that was made.
    func write(to file: POSIX.File) throws(StoreError) {
        // Numbers, texts of the program and a UUID can be encoded.
        guard let text = try? JSONEncoder().encode(self), Self.sumLength + text.count <= Self.room else { return }
        let note = Self.sum(of: text) + text
        try Self.write(note + Data(count: Self.room - note.count), to: file)
    }

    private static func write(_ bytes: Data, to file: POSIX.File) throws(StoreError) {
        var failure: StoreError?
        bytes.withUnsafeBytes { bytes in
            do throws(StoreError) { try POSIX.write(file, bytes, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        try POSIX.flush(file)
    }

    private static func sum(of text: Data) -> Data {
        let sum = String(text.withUnsafeBytes { Checksum.xxh64($0) }, radix: 16)
        return Data((String(repeating: "0", count: sumLength - sum.count) + sum).utf8)
    }
}
