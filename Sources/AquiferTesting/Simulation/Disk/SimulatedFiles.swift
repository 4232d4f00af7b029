import Aquifer
import Foundation

/// The calls of the system on the disk of the running simulation.
///
/// A dead process reaches nothing: each of its calls fails with `EIO`.
struct SimulatedFiles: FileSystem {
    var disk: SimulatedDisk? { Scheduler.shared.disk }

    /// The faults of a call that may fail; `nil`, and `errno`, if it must not be carried out.
    func enter(_ call: String, changes: Bool = false, makesRoom: Bool = false) -> SimulatedDisk? {
        let scheduler = Scheduler.shared
        guard let disk, scheduler.current.isAlive, !scheduler.isOver else { return fail(EIO) }
        scheduler.trace.mix(call)
        if disk.faults.strikes(.preemption) {
            scheduler.pause(
                disk.faults.fraction() < 0.5 ? .zero : disk.faults.duration(.microseconds(1) ... .milliseconds(50)))
        }
        disk.faults.beforeCall()
        // A stopped process stands still here, in the middle of its job.
        while scheduler.current.isStopped, scheduler.current.isAlive, !scheduler.isOver { scheduler.pause(.zero) }
        guard scheduler.current.isAlive, !scheduler.isOver else { return fail(EIO) }
        if disk.faults.strikes(.ioError) { return fail(EIO) }
        if changes && !makesRoom {
            if disk.faults.strikes(.diskFull) {
                disk.fullUntil = scheduler.now + disk.faults.duration(.milliseconds(1) ... .seconds(60)).nanoseconds
            }
            if scheduler.now < disk.fullUntil, disk.faults.areOn { return fail(ENOSPC) }
        }
        return disk
    }

    func fail<Value>(_ code: Int32) -> Value? {
        errno = code
        return nil
    }

    func refuse(_ code: Int32) -> Int32 {
        errno = code
        return -1
    }

    // MARK: Descriptors

    func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        guard let disk = enter("open", changes: flags & O_CREAT != 0 && self.disk?.node(path) == nil) else { return -1 }
        if disk.faults.strikes(.tooManyFiles) { return refuse(EMFILE) }
        if let node = disk.node(path) {
            if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL { return refuse(EEXIST) }
            if node.isFolder && flags & (O_WRONLY | O_RDWR) != 0 { return refuse(EISDIR) }
            if flags & O_TRUNC != 0 { node.cut(to: 0) }
            return disk.open(node, path)
        }
        guard flags & O_CREAT != 0, let (folder, name) = disk.place(path) else { return refuse(ENOENT) }
        let node = disk.make(isFolder: false, mode: UInt32(mode))
        folder.setNames([name: node])
        return disk.open(node, path)
    }

    func closeFile(_ descriptor: Int32) -> Int32 {
        // Also by an object that is released late, in the name of another process.
        disk?.close(descriptor)
        return 0
    }

    func file(_ descriptor: Int32, _ call: String, changes: Bool = false) -> (SimulatedDisk, SimulatedDisk.Open)? {
        guard let disk = enter(call, changes: changes) else { return nil }
        guard let file = disk.files[descriptor] else { return fail(EBADF) }
        return (disk, file)
    }

    func readAt(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t
    ) -> Int {
        guard let (_, file) = file(descriptor, "read"), let buffer else { return -1 }
        let bytes = file.node.bytes
        let (start, end) = (min(Int(offset), bytes.count), min(Int(offset) + count, bytes.count))
        bytes.withUnsafeBytes { source in
            buffer.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: source[start..<end]).baseAddress ?? UnsafeRawPointer(buffer),
                byteCount: end - start)
        }
        return end - start
    }

    func writeOn(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
        let position = disk?.files[descriptor]?.position ?? 0
        let written = writeAt(descriptor, buffer, count, off_t(position))
        if written > 0 { disk?.files[descriptor]?.position = position + written }
        return written
    }

    func writeAt(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int, _ offset: off_t) -> Int {
        guard let buffer else { return Int(refuse(EFAULT)) }
        let bytes = Array(UnsafeRawBufferPointer(start: buffer, count: count))
        let (disk, before) = (self.disk, self.disk?.files[descriptor])
        let isAlive = { Scheduler.shared.current.isAlive && !Scheduler.shared.isOver }
        // A kill may strike in the middle, and then tears the write.
        let writing = before.flatMap { isAlive() ? disk?.beginWriting($0.node, bytes, at: Int(offset)) : nil }
        defer { if let writing { disk?.endWriting(writing) } }
        guard let (_, file) = file(descriptor, "write", changes: true) else {
            // So may the lack of room, which the process lives to see.
            if let before, let disk, isAlive(), disk.random.chance(0.5) {
                let code = errno
                before.node.write(Array(bytes.prefix(disk.random.int(in: 0...count))), at: Int(offset))
                errno = code
            }
            return -1
        }
        file.node.write(bytes, at: Int(offset))
        return count
    }

    func cut(_ descriptor: Int32, _ size: off_t) -> Int32 {
        guard let (_, file) = file(descriptor, "cut", changes: true) else { return -1 }
        file.node.cut(to: Int(size))
        return 0
    }

    func flush(_ descriptor: Int32) -> Int32 {
        let before = disk?.files[descriptor]
        guard let (_, file) = file(descriptor, "flush") else {
            if errno == EIO, Scheduler.shared.current.isAlive { before?.node.failToFlush() }
            return -1
        }
        if disk?.forgetsFlushes != true { file.node.flush() }
        return 0
    }

    func lock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
        if operation & LOCK_UN != 0 {
            if let disk, let node = disk.files[descriptor]?.node { disk.unlock(node, descriptor) }
            return 0
        }
        guard let (_, file) = file(descriptor, "lock") else { return -1 }
        let node = file.node
        if let locker = node.locker, locker != descriptor { return refuse(EWOULDBLOCK) }
        if operation & LOCK_EX != 0 {
            guard node.sharers.subtracting([descriptor]).isEmpty else { return refuse(EWOULDBLOCK) }
            (node.locker, node.sharers) = (descriptor, [])
        } else {
            node.locker = nil
            node.sharers.insert(descriptor)
        }
        return 0
    }
}
