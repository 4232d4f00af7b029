import Aquifer
import Foundation

/// The disk of a ``Simulation``: one for all of its processes.
///
/// `FileStore`, `Downloads`, the attachments of an `Outbox` and the vault for cards run on it, at any path. A write that
/// was not flushed survives a kill and may be lost in a power cut; so may a name whose folder was not flushed.
public final class SimulatedDisk: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    struct Open {
        let node: DiskNode
        let path: String
        let life: Life
        var position = 0
        /// Runs when it is closed, or when its process dies.
        var ending: (() -> Void)?
    }

    let random: SimulatedRandom
    let faults: Faults
    private(set) var root: DiskNode
    private var nodes: [DiskNode] = []
    var files: [Int32: Open] = [:]
    /// The files that may be damaged.
    public var damageable: (_ path: String) -> Bool = { _ in true }
    /// The files that were damaged so far.
    public private(set) var damaged: Set<String> = []
    /// A planted bug: what is flushed does not reach the device.
    public var forgetsFlushes = false
    /// True if processes that watch a folder are told of its changes, up to some milliseconds later. Only files that are put in
    /// place or deleted are told, so that a `FileStore` tells of all changes and a database of none.
    public var tellsChanges = false
    var watches: [DiskWatch] = []
    /// The writes that have begun, in their order: their processes may die in the middle.
    private var writing: [(number: Int, node: DiskNode, bytes: [UInt8], offset: Int, life: Life)] = []
    private var lastWriting = 0
    /// Until when there is no room.
    var fullUntil: Int64 = 0
    /// Descriptors are not used again, not even by the next simulation: an object that is released late closes its own.
    nonisolated(unsafe) private static var lastDescriptor: Int32 = 1000

    init(_ random: SimulatedRandom, _ faults: Faults) {
        self.random = random
        self.faults = faults
        root = DiskNode(1, isFolder: true, mode: 0o700)
        nodes = [root]
        faults.whenPowerFails = { [unowned self] in losePower() }
        faults.whenDamaged = { [unowned self] in damage($0) }
    }

    /// The paths of all files, sorted.
    public var paths: [String] {
        var found: [String] = []
        func visit(_ node: DiskNode, _ path: String) {
            for (name, child) in node.names.sorted(by: { $0.key < $1.key }) {
                if child.isFolder { visit(child, "\(path)/\(name)") } else { found.append("\(path)/\(name)") }
            }
        }
        visit(root, "")
        return found
    }

    /// The bytes of a file as processes see them; `nil` if there is none.
    public func read(_ path: String) -> Data? {
        node(path).flatMap { $0.isFolder ? nil : Data($0.bytes) }
    }

    /// Writes and flushes a file, in a folder that is made with its parents: for what was there before.
    public func write(_ bytes: Data, to path: String) {
        var folder = root
        let names = path.split(separator: "/").map(String.init)
        for name in names.dropLast() {
            let next = folder.names[name] ?? make(isFolder: true, mode: 0o700)
            if folder.names[name] == nil { folder.setNames([name: next]) }
            folder.flush()
            folder = next
        }
        guard let name = names.last else { return }
        let file = folder.names[name] ?? make(isFolder: false, mode: 0o600)
        if folder.names[name] == nil { folder.setNames([name: file]) }
        folder.flush()
        file.cut(to: 0)
        file.write(Array(bytes), at: 0)
        file.flush()
    }

    // MARK: What the calls need

    func make(isFolder: Bool, mode: UInt32) -> DiskNode {
        let node = DiskNode(UInt64(nodes.count + 1), isFolder: isFolder, mode: mode)
        nodes.append(node)
        return node
    }

    func node(_ path: String) -> DiskNode? {
        var node: DiskNode? = root
        for name in path.split(separator: "/") where name != "." { node = node?.names[String(name)] }
        return node
    }

    /// The folder and the name at the end of a path.
    func place(_ path: String) -> (folder: DiskNode, name: String)? {
        guard let folder = node(FilePath.folder(of: path)), folder.isFolder else { return nil }
        return (folder, FilePath.name(of: path))
    }

    func open(_ node: DiskNode, _ path: String) -> Int32 {
        let life = Scheduler.shared.current
        if !life.hasFiles {
            life.hasFiles = true
            life.whenItEnds { [weak self] in self?.closeAll(of: life) }
        }
        Self.lastDescriptor += 1
        files[Self.lastDescriptor] = Open(node: node, path: path, life: life)
        return Self.lastDescriptor
    }

    func close(_ descriptor: Int32) {
        guard let file = files.removeValue(forKey: descriptor) else { return }
        unlock(file.node, descriptor)
        file.ending?()
    }

    /// Does something once an open file is closed, also by the death of its process.
    package func whenClosed(_ descriptor: Int32, _ action: @escaping () -> Void) {
        files[descriptor]?.ending = action
    }

    func unlock(_ node: DiskNode, _ descriptor: Int32) {
        if node.locker == descriptor { node.locker = nil }
        node.sharers.remove(descriptor)
    }

    /// Remembers a write until it has ended.
    func beginWriting(_ node: DiskNode, _ bytes: [UInt8], at offset: Int) -> Int {
        lastWriting += 1
        writing.append((lastWriting, node, bytes, offset, Scheduler.shared.current))
        return lastWriting
    }

    func endWriting(_ number: Int) { writing.removeAll { $0.number == number } }

    /// A process dies now. A part of what it was writing may be in its files, before its locks are released.
    func tear(_ life: Life) {
        for write in writing where write.life === life {
            if random.chance(0.5) { continue }
            write.node.write(Array(write.bytes.prefix(random.int(in: 0...write.bytes.count))), at: write.offset)
        }
        writing.removeAll { $0.life === life }
    }

    private func closeAll(of life: Life) {
        for descriptor in files.filter({ $0.value.life === life }).keys { close(descriptor) }
    }

    // MARK: What happens to it

    private func losePower() {
        let lost = nodes.filter { $0.losePower(random) }.count
        files = [:]
        for node in nodes { node.links = 0 }
        var seen: [DiskNode] = []
        func visit(_ node: DiskNode) {
            seen.append(node)
            for (_, child) in node.names.sorted(by: { $0.key < $1.key }) {
                child.links += 1
                if child.isFolder { visit(child) } else if child.links == 1 { seen.append(child) }
            }
        }
        visit(root)
        let scheduler = Scheduler.shared
        scheduler.trace.note("the power fails; \(lost) files lose something", at: scheduler.now, by: scheduler.world)
    }

    private func damage(_ fault: SimulatedFault) {
        let paths = paths.filter { damageable($0) && node($0)?.bytes.isEmpty == false }
        guard let path = random.element(of: paths), let file = node(path) else { return }
        let (place, bit) = (random.int(in: 0...file.bytes.count - 1), UInt8(1) << UInt8(random.int(in: 0...7)))
        switch fault {
        case .bitFlip: file.damage { if place < $0.count { $0[place] ^= bit } }
        case .fileCut: file.damage { $0.removeLast(max(0, $0.count - place)) }
        default:
            guard let other = random.element(of: paths), let second = node(other), second !== file,
                file.isFlushed, second.isFlushed
            else { return }
            let (one, two) = (file.bytes, second.bytes)
            file.damage { $0 = two }
            second.damage { $0 = one }
        }
        damaged.insert(path)
        faults.count(fault)
        let scheduler = Scheduler.shared
        scheduler.trace.note("\(fault.rawValue) of \(path)", at: scheduler.now, by: scheduler.world)
    }
}
