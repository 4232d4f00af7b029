import Aquifer

/// A file or a folder of a simulated disk: as processes see it, and as the device has it.
final class DiskNode {
    /// The changes that were not flushed.
    private enum Change {
        case write([UInt8], at: Int)
        case cut(to: Int)
        /// In a folder: what each of these names leads to from now on.
        case names([String: DiskNode?])
    }

    let number: UInt64
    let isFolder: Bool
    var mode: UInt32
    var links = 0
    /// As processes see it.
    private(set) var bytes: [UInt8] = []
    private(set) var names: [String: DiskNode] = [:]
    /// As the device has it.
    private var flushedBytes: [UInt8] = []
    private var flushedNames: [String: DiskNode] = [:]
    private var changes: [Change] = []
    /// The descriptor that has the exclusive lock, and those that share one.
    var locker: Int32?
    var sharers: Set<Int32> = []

    init(_ number: UInt64, isFolder: Bool, mode: UInt32) {
        (self.number, self.isFolder, self.mode) = (number, isFolder, mode)
    }

    var isFlushed: Bool { changes.isEmpty }

    func write(_ new: [UInt8], at offset: Int) { make(.write(new, at: offset)) }
    func cut(to size: Int) { make(.cut(to: size)) }

    /// Changes names in one step.
    func setNames(_ new: [String: DiskNode?]) {
        for (name, node) in new {
            names[name]?.links -= 1
            node?.links += 1
        }
        make(.names(new))
    }

    private func make(_ change: Change) {
        Self.apply(change, &bytes, &names)
        changes.append(change)
    }

    /// Brings everything to the device.
    func flush() {
        for change in changes { Self.apply(change, &flushedBytes, &flushedNames) }
        changes = []
    }

    /// The system has told of a failed flush, and takes the pages for clean: a later flush does not bring them, either.
    ///
    /// Names are kept. No page of them is taken for clean: file systems have them in a journal, and one whose journal
    /// cannot be written stops. A later flush of the folder that succeeds has brought all of its names.
    func failToFlush() {
        if !isFolder { changes = [] }
    }

    /// Damages the file itself, under everybody's feet.
    func damage(_ change: (inout [UInt8]) -> Void) {
        change(&bytes)
        change(&flushedBytes)
    }

    /// Only the device's state is left, and what happened to reach it.
    ///
    /// - Returns: true if something was lost.
    func losePower(_ random: SimulatedRandom) -> Bool {
        // Some file systems keep the order.
        let isOrdered = random.chance(0.5)
        var hasLost = false
        for change in changes {
            if random.chance(0.5) {
                hasLost = true
                if isOrdered { break }
                continue
            }
            if case .write(let new, let offset) = change, !new.isEmpty, random.chance(0.3) {
                let torn = Array(new.prefix(random.int(in: 0...new.count - 1)))
                Self.apply(.write(torn, at: offset), &flushedBytes, &flushedNames)
                hasLost = true
            } else {
                Self.apply(change, &flushedBytes, &flushedNames)
            }
        }
        changes = []
        (bytes, names) = (flushedBytes, flushedNames)
        (locker, sharers) = (nil, [])
        return hasLost
    }

    private static func apply(_ change: Change, _ bytes: inout [UInt8], _ names: inout [String: DiskNode]) {
        switch change {
        case .write(let new, let offset):
            if offset > bytes.count { bytes += [UInt8](repeating: 0, count: offset - bytes.count) }
            let end = min(bytes.count, offset + new.count)
            bytes.replaceSubrange(offset..<end, with: new)
        case .cut(let size):
            if size < bytes.count { bytes.removeLast(bytes.count - size) }
            if size > bytes.count { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
        case .names(let new):
            for (name, node) in new { names[name] = node }
        }
    }
}
