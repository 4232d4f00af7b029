import AquiferFoundation

/// An entry to be written whatever is there, which may be written in one step with others.
///
/// While a connection makes one step, the entries of other callers gather, and are the next one. A step with many entries takes the server
/// little more than a step with one.
struct Insertion: Sendable {
    /// The number of bytes of an entry that is written by itself, and of the entries of one step at most.
    static let (largest, most) = (1 << 14, 1 << 18)
    /// The number of entries of one step at most.
    static let width = 64

    let key: String
    let mark: Data
    let head: Data
    let bytes: Data
    /// The message to others.
    let told: String

    /// The requests that are made together next, in the order in which every machine locks their rows: no two steps wait for each other.
    static func next(of requests: [Request]) -> [Request] {
        var size = 0
        let fitting = requests.prefix(width).prefix { request in
            size += request.insertion?.bytes.count ?? 0
            return size <= most
        }
        // One entry always fits.
        return fitting.sorted { first, second in
            guard let first = first.insertion?.key, let second = second.insertion?.key else { return false }
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
    }

    /// The step that makes all of these requests.
    static func request(joining requests: [Request], channel: String) -> Request? {
        guard let first = requests.first else { return nil }
        if requests.count == 1 { return first }
        let all = requests.compactMap(\.insertion)
        let step = Request.Step(
            .insertAll,
            [
                .text(channel), .list(all.map { Data($0.told.utf8) }, of: .text), .list(all.map { Data($0.key.utf8) }),
                .list(all.map(\.mark)), .list(all.map(\.head)),
                .list(all.map(\.bytes)),
            ])
        return Request([step], writes: true, deadline: requests.map(\.deadline).min() ?? .now, joined: requests)
    }
}
