import Aquifer
import AquiferTesting
import Foundation

// The program of the article "Testing what cannot be waited for".

@main
struct NotesSimulation {
    static func main() {
        Simulation.main { world in
            let server = NoteServer()
            world.network.serve("notes.example") { await server.answer($0) }
            world.faults.allow([.kill, .powerCut, .requestLost, .answerLost, .slowNetwork, .serverError])
            let written = Written()
            let phone = world.process("phone") { phone in try await use(phone, written) }
            phone.isMortal = true
            try await world.clock.sleep(for: .seconds(600))
            world.faults.stop()
            await phone.waitUntilEnded()
            let arrived = await server.notes
            world.expect(Set(arrived).count == arrived.count, "a note has arrived twice: \(arrived)")
            world.expect(written.notes.isSubset(of: arrived), "a note was lost: \(arrived)")
        }
    }

    /// The app: it writes five notes, and ends when all are sent. A killed app begins anew over the same disk.
    static func use(_ phone: SimulatedProcess, _ written: Written) async throws {
        guard let url = URL(string: "https://notes.example/notes") else { return }
        let (clock, random) = (phone.world.clock, phone.random)
        let store = try FileStore(directory: URL(fileURLWithPath: "/phone/outbox", isDirectory: true))
        let policy = SendPolicy(
            clock: clock, random: { random.fraction() }, now: phone.now, makeKey: { random.uuid().uuidString })
        let outbox = Outbox(in: store, client: phone.client, policy: policy, owner: random.uuid())
        for number in 1...5 {
            let note = "note \(number) of start \(phone.starts)"
            try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data(note.utf8))), group: "notes")
            // A process that was just killed has promised nothing more.
            if phone.world.callerIsAlive { written.add(note) }
            phone.world.note("wrote \(note)")
        }
        try await outbox.drainToEnd()
    }
}

/// The notes that the outbox has acknowledged.
final class Written: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private(set) var notes: Set<String> = []
    func add(_ note: String) { notes.insert(note) }
}

/// A server that takes each note once, by its key.
actor NoteServer {
    private var keys: Set<String> = []
    private(set) var notes: [String] = []

    func answer(_ request: SimulatedNetwork.Request) -> SimulatedNetwork.Answer {
        if let key = request.headers["Idempotency-Key"], keys.insert(key).inserted {
            notes.append(String(decoding: request.body, as: UTF8.self))
        }
        return .init(status: 201)
    }
}
