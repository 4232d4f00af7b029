import AquiferTesting
import Foundation

/// The remote of the audio feed: a list of clips, and their sound, which changes from time to time.
final class ClipsServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    /// The versions of each clip's sound.
    private(set) var sounds: [String: [Data]] = [:]
    let ids: [UUID]

    init(_ world: Simulation) {
        self.world = world
        ids = (0..<world.random.int(in: 1...4)).map { _ in world.random.uuid() }
        for id in ids { change(id) }
    }

    /// Gives a clip new sound.
    func change(_ id: UUID) {
        let name = id.uuidString
        let number = sounds[name]?.count ?? 0
        let bytes = Data("sound \(number) of \(name)".utf8) + Data(count: world.random.int(in: 0...20_000))
        sounds[name, default: []].append(bytes)
        world.note("\(name.prefix(4)) has sound \(number), \(bytes.count) bytes")
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(50)))
        let name = request.url.lastPathComponent
        if name == "audio" { return list }
        guard let all = sounds[name], let bytes = all.last else { return .init(status: 404) }
        let etag = "\"\(all.count - 1)\""
        if request.headers["If-None-Match"] == etag { return .init(status: 304, headers: ["ETag": etag]) }
        return .init(headers: ["ETag": etag, "Content-Type": "audio/mpeg"], body: bytes)
    }

    private var list: SimulatedNetwork.Answer {
        let items = ids.enumerated().map { place, id in
            """
            {"id":"\(id)","title":"Clip \(place)","duration":3,"created_at":"2026-05-01T00:00:00Z",\
            "audio":"http://audio.example/sound/\(id.uuidString)"}
            """
        }
        return .init(
            headers: ["Content-Type": "application/json"],
            body: Data("{\"items\":[\(items.joined(separator: ","))]}".utf8))
    }
}
