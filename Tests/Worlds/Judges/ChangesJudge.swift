import Aquifer
import AquiferTesting

/// Knows what each device has acknowledged, and compares it with what is shown, and with the server.
final class ChangesJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private struct Known {
        var device: String
        var owner: String
        /// The texts that it may have: the last acknowledged one, and those of changes that ended with an error or a kill since.
        var texts: Set<String>
        var tags: Set<String> = [""]
        var isCreated = false
        /// True once a deletion was begun: nobody knows from then on, until it was acknowledged.
        var mayBeDeleted = false
        var isDeleted = false
    }

    private let world: Simulation
    private var known: [String: Known] = [:]
    /// The marks that each start of a process has shown.
    private var seen: [String: Set<String>] = [:]

    init(_ world: Simulation) { self.world = world }

    /// A user of a device makes a change.
    func change(
        _ notes: EditableResource<WorldChange>, _ device: String, _ process: SimulatedProcess, _ number: Int
    ) async {
        let random = process.random
        let mine = known.filter { $0.value.owner == process.name && $0.value.isCreated && !$0.value.mayBeDeleted }.keys
        let mark = random.element(of: mine.sorted())
        let text = "\(process.name).\(process.starts).\(number)"
        switch random.int(in: 0...5) {
        case 0, 1:
            let mark = "m-\(text)"
            known[mark] = Known(device: device, owner: process.name, texts: [text])
            await make(.create(id: mark, mark: mark, text: text), notes, process) { self.known[mark]?.isCreated = true }
        case 2, 3:
            guard let mark else { return }
            known[mark]?.texts.insert(text)
            await make(.rename(id: id(of: mark, notes, random), text: text), notes, process) {
                self.known[mark]?.texts = [text]
            }
        case 4 where random.chance(0.3):
            guard let mark else { return }
            known[mark]?.mayBeDeleted = true
            await make(.delete(id: id(of: mark, notes, random)), notes, process) { self.known[mark]?.isDeleted = true }
        default:
            guard let mark else { return }
            known[mark]?.tags.insert(text)
            await make(.tag(id: id(of: mark, notes, random), tag: text), notes, process) {
                self.known[mark]?.tags = [text]
            }
        }
    }

    /// A screen holds the id that it drew, or the server's.
    private func id(of mark: String, _ notes: EditableResource<WorldChange>, _ random: SimulatedRandom) -> String {
        random.chance(0.5) ? mark : notes.serverID(of: mark)
    }

    private func make(
        _ change: WorldChange, _ notes: EditableResource<WorldChange>, _ process: SimulatedProcess,
        _ acknowledge: () -> Void
    ) async {
        do throws(OutboxError) {
            try await notes.change(change, label: "\(change)")
            guard process.world.callerIsAlive else { return }
            acknowledge()
            world.note("\(process.name) has made \(change)")
        } catch { world.note("\(process.name) could not make \(change): \(error)") }
    }

    /// A value that was read now.
    func look(_ state: Loaded<[WorldNote]>, _ device: String, _ process: SimulatedProcess) {
        // A state that says that it may lack changes may lack them.
        guard process.world.callerIsAlive, state.pendingError == nil else { return }
        let notes = state.value
        let pending =
            "\(state.source); \(state.pending.map { "\($0.id) \($0.label) \($0.state) \($0.obstacle ?? "")" })"
        expectOneRow(notes, process)
        let shown = Dictionary(notes.map { ($0.mark, $0) }) { first, _ in first }
        for (mark, known) in known where known.owner == process.name && known.isCreated {
            if known.isDeleted {
                world.expect(shown[mark] == nil, "\(process.name): \(mark) was deleted, and is shown; \(pending)")
            }
            if known.mayBeDeleted { continue }
            guard let note = shown[mark] else {
                world.expect(false, "\(process.name): \(mark) is not shown; \(pending)")
                continue
            }
            world.expect(
                known.texts.contains(note.text),
                "\(process.name): \(mark) is \(note.text), not \(known.texts.sorted()); \(pending)")
        }
    }

    /// A state that a follower was told.
    func see(_ state: Loaded<[WorldNote]>, _ device: String, _ process: SimulatedProcess) {
        guard process.world.callerIsAlive else { return }
        expectOneRow(state.value, process)
        // Without a copy, the notes of others and those that the server has are not there.
        if case .pendingOnly = state.source { return }
        let marks = Set(state.value.map(\.mark))
        let name = "\(process.name).\(process.starts)"
        // The note of another process may be known from one answer of the server only. An older one may come later, or stand in for it
        // when that one could not be saved and the queue cannot be read.
        for mark in seen[name, default: []].subtracting(marks) where known[mark]?.owner == process.name {
            world.expect(
                known[mark]?.mayBeDeleted == true,
                "\(name): \(mark) was shown, and is not any more; \(state.source); \(state.pending.map { "\($0.id) \($0.label)" })"
            )
        }
        seen[name] = marks
    }

    private func expectOneRow(_ notes: [WorldNote], _ process: SimulatedProcess) {
        let marks = notes.map(\.mark)
        world.expect(Set(marks).count == marks.count, "\(process.name): a note is shown twice: \(marks)")
    }

    func compare(with server: ChangesServer) {
        world.expect(Set(server.created).count == server.created.count, "a note was created twice: \(server.created)")
        let there = Dictionary(server.notes.map { ($0.mark, $0) }) { first, _ in first }
        for (mark, known) in known where known.isCreated {
            if known.isDeleted { world.expect(there[mark] == nil, "\(mark) was deleted, and is at the server") }
            if known.mayBeDeleted { continue }
            guard let note = there[mark] else {
                world.expect(false, "\(mark) is not at the server")
                continue
            }
            world.expect(known.texts.contains(note.text), "\(mark) is \(note.text) at the server, not \(known.texts)")
            world.expect(
                known.tags.contains(note.tag), "\(mark) is tagged \(note.tag) at the server, not \(known.tags)")
        }
    }
}
