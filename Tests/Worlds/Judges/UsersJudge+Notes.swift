import Aquifer
import AquiferTesting

/// A note that a user has queued, or has tried to.
final class UsersNote: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    let name: String
    let group: String
    let user: String
    let generation: String
    let begun: Int
    var acknowledged: Int?
    /// True if the call threw.
    var isRefused = false

    init(_ name: String, _ group: String, _ user: String, _ generation: String, _ begun: Int) {
        (self.name, self.group, self.user, self.generation, self.begun) = (name, group, user, generation, begun)
    }
}

extension UsersJudge {
    func queue(_ session: Session, group: String) -> UsersNote {
        let note = UsersNote("\(session.name)/\(notes.count)", group, session.user, session.generation ?? "", now)
        if world.callerIsAlive { notes.append(note) }
        return note
    }

    func queued(_ note: UsersNote) {
        if world.callerIsAlive { note.acknowledged = now }
    }

    func refused(_ note: UsersNote, _ error: StoreError) {
        guard world.callerIsAlive else { return }
        world.note("could not queue \(note.name): \(error)")
        if case .uncertain = error { return }
        // The last flush can fail after the item has its name.
        // And when the scope cannot be looked at after that, the item may not be taken back either.
        if case .failed(let operation, _) = error, operation.hasPrefix("flush") || operation.contains("scope%3a") {
            return
        }
        note.isRefused = true
    }

    /// A request leaves, whose sender had to know of the ends before `begun`, or of all of them.
    func sends(_ session: Session, _ body: String?, since begun: Int?) {
        guard world.callerIsAlive, let generation = session.generation else { return }
        let moment = begun ?? now
        for end in ends(of: generation) {
            guard let returned = end.returned, returned < moment else { continue }
            // It was stopped in the middle of its look at the mark, and had looked before the end.
            let isInLook = session.looks.contains { $0.contains(returned) }
            // A load delivers the latest also while the store fails. It cannot know of the end then.
            let isBlind = begun.map { begun in session.failedLooks.contains { $0 > begun } } ?? false
            world.expect(
                isInLook || isBlind, "\(session.name) sends \(body ?? "a question") after the end of \(generation)")
        }
        guard let note = notes.first(where: { $0.name == body }) else { return }
        world.expect(
            note.user == session.user, "\(session.name) sends \(note.name) of \(note.user) for \(session.user)")
        let isKept = ends(of: note.generation).contains { $0.choice == .keep }
        let isDiscarded = ends(of: note.generation).contains { $0.choice == .discard && $0.returned != nil }
        world.expect(isKept || !isDiscarded || generation == note.generation, "\(note.name) was discarded, and is sent")
    }

    /// An end without a choice, or after sending, returned: its generation has no unsent change.
    func expectAllSent(by end: End) {
        let isRefusable = { (end: End) in end.choice == nil || end.choice == .sendFirst }
        guard ends(of: end.generation).allSatisfy(isRefusable) else { return }
        for note in notes where note.generation == end.generation && note.acknowledged != nil {
            world.expect(server.taken.contains(note.name), "\(note.name) was not sent before \(end.generation) ended")
        }
    }

    /// All have been sent that are in the queue.
    func compare(_ user: String) {
        let taken = server.taken
        world.expect(Set(taken).count == taken.count, "a note is at the server twice: \(taken)")
        let mine = notes.filter { $0.user == user }
        let places = Dictionary(taken.enumerated().map { ($1, $0) }) { first, _ in first }
        for note in mine {
            let place = places[note.name]
            world.expect(place == nil || !note.isRefused, "\(note.name) was not queued, and is at the server")
            guard note.acknowledged != nil else { continue }
            let mayBeDiscarded = sessionEnds(of: user).contains {
                $0.choice == .discard && ($0.returned ?? .max) > note.begun
            }
            world.expect(place != nil || mayBeDiscarded, "\(note.name) was acknowledged and is lost")
        }
        for earlier in mine {
            guard let end = earlier.acknowledged, let place = places[earlier.name] else { continue }
            for later in mine where later.group == earlier.group && end < later.begun {
                guard let other = places[later.name] else { continue }
                // A request that is under way while its change is discarded may arrive after changes of the next login.
                let mayBeLate =
                    earlier.generation != later.generation
                    && ends(of: earlier.generation).contains { $0.choice == .discard }
                world.expect(
                    place < other || mayBeLate, "\(later.name) was queued after \(earlier.name) and arrived before it")
            }
        }
    }

    private func sessionEnds(of user: String) -> [End] {
        generations(of: user).sorted().flatMap { ends(of: $0) }
    }
}
