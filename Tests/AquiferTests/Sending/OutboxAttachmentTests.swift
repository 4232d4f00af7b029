import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Attachments of the outbox", .timeLimit(.minutes(10)))
struct OutboxAttachmentTests {
    private let world = OutboxWorld()

    private func request(_ file: URL, offset: UInt64 = 0, length: UInt64) -> HTTPRequest {
        HTTPRequest(
            .post, world.url,
            body: HTTPBody(parts: [
                .bytes(Data("<".utf8)), .file(file, offset: offset, length: length), .bytes(Data(">".utf8)),
            ]))
    }

    /// Has the server read the files while it is asked.
    private func readBodies() -> Locked<[Data]> {
        let bodies = Locked([Data]())
        world.server.rule { _, request in
            bodies.withLock { $0.append(request.wholeBody) }
            return nil
        }
        return bodies
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("are copied when queued: what becomes of the original does not matter")
    func copied() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try content.write(to: file)
            let outbox = world.outbox(attachments: folder)
            try await outbox.enqueue(request(file, offset: 5, length: 2_500_000))
            try FileManager.default.removeItem(at: file)
            #expect(try names(folder).count == 1)

            let bodies = readBodies()
            #expect(try await world.outbox(attachments: folder).drain().sent == 1)
            #expect(bodies.withLock { $0 } == [Data("<".utf8) + content[5..<2_500_005] + Data(">".utf8)])
            #expect(try names(folder) == [])
        }
    }

    @Test("are refused, and stay, when a bit of the copy has flipped since: what was not queued is never sent")
    func flipped() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data(count: 2_500_000).write(to: file)
            try await world.outbox(attachments: folder).enqueue(request(file, length: 2_500_000))
            let copy = folder.appending(path: try #require(try names(folder).first))
            var bytes = try Data(contentsOf: copy)
            bytes[2_400_000] ^= 1
            try bytes.write(to: copy)
            let bodies = readBodies()
            let outbox = world.outbox(attachments: folder)
            #expect(try await outbox.drain().refused == 1)
            #expect(bodies.withLock { $0 }.isEmpty)
            let refusal = Outbox.Refusal.attachment(name: "clip.mp3", reason: "was damaged after it was queued")
            #expect(try await outbox.standing() == [.refused(refusal)])
            #expect(try Data(contentsOf: copy) == bytes)
        }
    }

    @Test("are sent as files, and lie in no entry of the store")
    func stayFiles() async throws {
        try await TemporaryFolder.with { place in
            let file = place.appending(path: "clip.mp3")
            try Data(count: 1_000_000).write(to: file)
            try await world.outbox(attachments: place.appending(path: "a")).enqueue(request(file, length: 1_000_000))
            let entries = try await world.store.entries()
            #expect(!entries.isEmpty && entries.allSatisfy { $0.size < 2_000 })
            #expect(try await world.outbox(attachments: place.appending(path: "a")).items().first?.length == 1_000_002)
        }
    }

    @Test("that are missing, too short or no files are not queued, and nothing is left of them")
    func missing() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            for attachments in [folder, nil] {
                let outbox = world.outbox(attachments: attachments)
                await #expect(throws: OutboxError.attachment(name: "clip.mp3", reason: "is not there")) {
                    try await outbox.enqueue(request(file, length: 10))
                }
                try Data(count: 9).write(to: file)
                await #expect(throws: OutboxError.attachment(name: "clip.mp3", reason: "is shorter than it should be"))
                {
                    try await outbox.enqueue(request(file, length: 10))
                }
                await #expect(throws: OutboxError.self) { try await outbox.enqueue(request(place, length: 10)) }
                try FileManager.default.removeItem(at: file)
                #expect(try await outbox.items() == [])
            }
            #expect(try names(folder) == [])
        }
    }

    @Test("leave nothing behind when the store has no room for their item")
    func fullStore() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data(count: 9).write(to: file)
            let outbox = Outbox(
                in: CrampedStore(base: world.store), attachments: folder, client: world.server.client,
                policy: world.policy())
            await #expect(throws: OutboxError.store(.full(path: "/disk"))) {
                try await outbox.enqueue(request(file, length: 9))
            }
            await #expect(throws: OutboxError.store(.full(path: "/disk"))) {
                _ = try await outbox.post(request(file, length: 9))
            }
            #expect(try names(folder) == [])
        }
    }

    @Test(
        "sent from where they lie are refused, by name, when they are gone or were changed", arguments: [true, false])
    func changed(isGone: Bool) async throws {
        try await TemporaryFolder.with { place in
            let file = place.appending(path: "clip.mp3")
            try Data(count: 9).write(to: file)
            let outbox = world.outbox()
            try await outbox.enqueue(request(file, length: 9))
            try FileManager.default.removeItem(at: file)
            if !isGone { try Data(count: 10).write(to: file) }
            #expect(try await outbox.drain() == Outbox.Report(refused: 1))
            let refusal = Outbox.Refusal.attachment(
                name: "clip.mp3", reason: isGone ? "is no longer there" : "was changed after it was queued")
            #expect(try await outbox.standing() == [.refused(refusal)])
            #expect("\(refusal)".hasPrefix("the attachment clip.mp3 "))
            #expect(world.server.asked == [])
        }
    }

    @Test("sent from where they lie are refused when other bytes of the same length were written since")
    func rewritten() async throws {
        try await TemporaryFolder.with { place in
            let file = place.appending(path: "clip.mp3")
            try Data(count: 9).write(to: file)
            let outbox = world.outbox()
            try await outbox.enqueue(request(file, length: 9))
            try Data(repeating: 1, count: 9).write(to: file)
            let later = Date(timeIntervalSinceNow: 60)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file.path)
            #expect(try await outbox.drain() == Outbox.Report(refused: 1))
            #expect(world.server.asked == [])
        }
    }

    @Test("that vanish while they are sent are refused at the next attempt, and not tried for ever")
    func vanishing() async throws {
        try await TemporaryFolder.with { place in
            let file = place.appending(path: "clip.mp3")
            try Data(count: 9).write(to: file)
            let outbox = world.outbox()
            try await outbox.enqueue(request(file, length: 9))
            world.server.rule { _, _ in
                try? FileManager.default.removeItem(at: file)  // the second time it is gone
                return .failure(TransportError(.unreadableBody, "clip.mp3: No such file or directory"))
            }
            let report = try await outbox.drain()
            #expect(report.failed == 1 && report.refused == 0)
            await outbox.retryAll()
            #expect(try await outbox.drain() == Outbox.Report(refused: 1))
            #expect(
                try await outbox.standing() == [.refused(.attachment(name: "clip.mp3", reason: "is no longer there"))])
        }
    }

    @Test("that a failing system cannot read for a moment are damaged for nobody, and are sent later")
    func failingSystem() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data(count: 9).write(to: file)
            let outbox = world.outbox(attachments: folder)
            try await outbox.enqueue(request(file, length: 9))
            let isBroken = Locked(true)
            world.server.rule { _, _ in
                isBroken.withLock { $0 }
                    ? .failure(TransportError(.unreadableBody, "1.clip: Too many open files")) : nil
            }
            let report = try await outbox.drain()
            #expect(report.failed == 1 && report.refused == 0)
            isBroken.withLock { $0 = false }
            await outbox.retryAll()
            #expect(try await outbox.drain() == Outbox.Report(sent: 1))
        }
    }

    @Test("whose copy cannot be looked at or read now wait; what is gone and what is damaged are refused")
    func troubles() async throws {
        try await TemporaryFolder.with { place in
            let keeper = AttachmentFolder(place.appending(path: "attachments"))
            let file = place.appending(path: "clip.mp3")
            try Data(count: 9).write(to: file)
            var hold = try await keeper.keep([.file(file, offset: 0, length: 9)], stem: "stem")
            try keeper.assign(&hold, to: 1)
            let copy = keeper.url(hold.names[0])
            // A folder can be opened and not be read, as a failing disk can.
            try FileManager.default.removeItem(at: copy)
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
            let parts = hold.parts
            var troubles: [AttachmentTrouble] = []
            for isGone in [false, true] {
                if isGone { try FileManager.default.removeItem(at: copy) }
                do throws(AttachmentTrouble) { try await keeper.check(parts) } catch { troubles.append(error) }
            }
            guard troubles.count == 2, case .store = troubles[0], case .unusable(let gone) = troubles[1] else {
                Issue.record("they are \(troubles)")
                return
            }
            #expect(gone.reason == "is no longer there")
        }
    }

    @Test("of copies that someone removed are refused under the original's name")
    func copyRemoved() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data(count: 9).write(to: file)
            let outbox = world.outbox(attachments: folder)
            try await outbox.enqueue(request(file, length: 9))
            let copies = try names(folder)
            #expect(!copies.isEmpty)
            for name in copies { try FileManager.default.removeItem(at: folder.appending(path: name)) }
            try await outbox.drain()
            #expect(
                try await outbox.standing() == [
                    .refused(.attachment(name: "clip.mp3", reason: "is no longer there"))
                ])
        }
    }

    @Test("go with their item: discarded, or replaced by an edit")
    func goWithTheirItem() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data("first".utf8).write(to: file)
            let outbox = world.outbox(attachments: folder)
            let item = try await outbox.enqueue(request(file, length: 5))
            world.server.rule { _, _ in .status(415) }
            try await outbox.drain()
            let before = try names(folder)

            // With the copy in it, as `request(of:)` gives it: edited without another look at the original.
            var edited = try await outbox.request(of: item.id)
            edited.headers["X-Edited"] = "yes"
            try FileManager.default.removeItem(at: file)
            try await outbox.edit(item.id, to: edited)
            let after = try names(folder)
            #expect(before.count == 1 && after.count == 1 && before != after)

            let bodies = readBodies()
            try Data("other".utf8).write(to: file)
            let other = try await outbox.enqueue(request(file, length: 5))
            try await outbox.discard(other.id)
            try await outbox.drain()
            #expect(bodies.withLock { $0 } == [Data("<first>".utf8)])
            #expect(try names(folder) == [])
        }
    }

    @Test("left by a process that was killed are swept away, and no others")
    func sweep() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data(count: 9).write(to: file)
            let queue = world.outbox(attachments: folder)
            try await queue.enqueue(request(file, length: 9))
            try await queue.discard(try await queue.enqueue(request(file, length: 9)).id)
            let kept = try names(folder)
            for name in ["new.X-1.0", "2.X-1.1", "1.X-9.1", "README"] {
                try Data().write(to: folder.appending(path: name))
            }
            // One that another process is just copying.
            let copying = try POSIX.openToWrite(folder.path + "/new.Y-1.0", truncate: true)
            #expect(try POSIX.tryLock(copying))
            _ = try await world.outbox(attachments: folder).items()
            #expect(try names(folder) == (kept + ["README", "new.Y-1.0"]).sorted())
            withExtendedLifetime(copying) {}
        }
    }

    @Test("in a folder that cannot be written to are told, and nothing is queued")
    func badFolder() async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data(count: 9).write(to: file)
            try Data("a file".utf8).write(to: folder)
            let outbox = world.outbox(attachments: folder)
            let error = await failure { () async throws(OutboxError) in
                try await outbox.enqueue(request(file, length: 9))
            }
            guard case .store(.notAStore)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await outbox.items() == [])
        }
    }
}

extension HTTPRequest {
    /// All of the body, files read.
    var wholeBody: Data {
        (try? body?.data()) ?? Data()  // what is missing is missed by the test
    }
}
