import Foundation
import HTTPServer

extension ReferenceAudio {
    /// The most bytes of the part `metadata`.
    private static let largestMetadata = 64 << 10

    /// Saves a clip, or answers with the one that the key stands for. At most one piece of the clip is held in memory.
    func post(_ request: ServerRequest) async -> ServerResponse {
        let refusal: ReferenceRefusal
        do {
            let clip = try await save(request)
            // A post with a known key brings the sound, too.
            await request.body.drain()
            return .json(try Self.encode(clip.item(base: Self.base(request))), status: 201)
        } catch let error as ReferenceRefusal {
            refusal = error
        } catch let error as MultipartError {
            refusal = ReferenceRefusal(error.status, error.description)
        } catch {
            refusal = ReferenceRefusal(500, "the clip could not be saved: \(error)")
        }
        await request.body.drain()
        return .error(refusal.status, refusal.message)
    }

    private func save(_ request: ServerRequest) async throws -> Clip {
        let key = request.headers["Idempotency-Key"]
        guard key.map({ (1...255).contains($0.utf8.count) }) ?? true else {
            throw ReferenceRefusal(400, "Idempotency-Key must have 1 to 255 characters")
        }
        if let key, let clip = try store.clip(key: key) { return clip }
        var reader = try MultipartReader(request)
        let arrival = try store.begin()
        defer { store.abandon(arrival) }
        var metadata: ClipMetadata?
        var kind: AudioKind?
        while let part = try await reader.nextPart() {
            switch part.name {
            case "metadata":
                guard metadata == nil else { throw ReferenceRefusal(400, "the part metadata came twice") }
                metadata = try ClipMetadata(json: try await reader.collect(upTo: Self.largestMetadata))
            case "audio":
                guard kind == nil else { throw ReferenceRefusal(400, "the part audio came twice") }
                kind = try await write(&reader, to: arrival.sound)
            default: break
            }
        }
        guard let metadata else { throw ReferenceRefusal(400, "the part metadata is missing") }
        guard let kind else { throw ReferenceRefusal(400, "the part audio is missing") }
        let seconds = try metadata.duration ?? AudioDuration.seconds(of: arrival.sound, kind) ?? 0
        return try store.publish(
            arrival, metadata, duration: (seconds * 100).rounded() / 100, kind: kind, key: key)
    }

    /// Writes the part to the file. Throws a ``ReferenceRefusal`` if it is empty, too long, or does not begin like a sound.
    private func write(_ reader: inout MultipartReader, to file: URL) async throws -> AudioKind {
        let handle = try FileHandle(forWritingTo: file)
        // A failed write has thrown its error already; `closeFile()` would trap.
        defer { try? handle.close() }
        var first = Data()
        var length = 0
        while let piece = try await reader.nextPiece() {
            length += piece.count
            guard length <= largestSound else {
                throw ReferenceRefusal(413, "the part audio takes more than \(largestSound) bytes")
            }
            if first.count < AudioKind.signature {
                first.append(piece.prefix(AudioKind.signature - first.count))
                if first.count == AudioKind.signature { _ = try Self.kind(first) }
            }
            try handle.write(contentsOf: piece)
            try await FaultInjector.slowing?.pause(for: piece.count)
        }
        guard length > 0 else { throw ReferenceRefusal(422, "the part audio is empty") }
        return try Self.kind(first)
    }

    private static func kind(_ first: Data) throws -> AudioKind {
        guard let kind = AudioKind(firstBytes: first) else {
            throw ReferenceRefusal(422, "the part audio is no sound: send MP3, Ogg, FLAC, WAV, M4A or WebM")
        }
        return kind
    }
}
