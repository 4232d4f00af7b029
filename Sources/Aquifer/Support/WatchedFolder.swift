#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Something that happened in a folder.
package enum FolderEvent: Sendable, Hashable {
    /// The file of this name was written, made, replaced or deleted.
    case file(String)
    /// Anything may have happened.
    case unknown
}

/// A descriptor of the system that becomes readable when something happens to the files of a folder: inotify on Linux, a
/// kqueue elsewhere. For one thread at a time.
final class WatchedFolder: @unchecked Sendable {
    /// The descriptor to wait for.
    let descriptor: Int32
    private let folder: String
    /// The files to be told of; `nil` for all of them.
    private let names: Set<String>?
    /// The descriptors of the folder and its files, where the system watches these.
    private var opened: [(name: String?, identity: POSIX.Identity?, descriptor: Int32)] = []

    /// - Returns: `nil` if the folder cannot be watched.
    init?(_ folder: String, _ names: Set<String>?) {
        self.folder = folder
        self.names = names
        #if os(Linux)
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            let mask = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR
            guard inotify_add_watch(descriptor, folder, UInt32(mask)) >= 0 else { return nil }
        #else
            descriptor = kqueue()
            guard descriptor >= 0, watch(nil, folder) else { return nil }
            _ = renew()
        #endif
    }

    deinit {
        for file in opened { _ = close(file.descriptor) }
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// The events that the system has now, without those that repeat the one before.
    func events() -> [FolderEvent] {
        var found: [FolderEvent] = []
        func note(_ event: FolderEvent) {
            if case .file(let name) = event, let names, !names.contains(name) { return }
            if found.last != event { found.append(event) }
        }
        #if os(Linux)
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
                while true {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return }
                    var place = 0
                    while place + MemoryLayout<inotify_event>.size <= count {
                        let head = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                        place += MemoryLayout<inotify_event>.size
                        let name = buffer[place..<place + Int(head.len)].prefix { $0 != 0 }
                        place += Int(head.len)
                        let isUnknown = head.mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF) != 0
                        note(isUnknown ? .unknown : .file(String(decoding: name, as: UTF8.self)))
                    }
                }
            }
        #else
            var event = kevent()
            var none = timespec()
            while kevent(descriptor, nil, 0, &event, 1, &none) > 0 {
                guard let file = opened.first(where: { $0.descriptor == Int32(event.ident) }) else { continue }
                if let name = file.name {
                    note(.file(name))
                } else {
                    // Names in the folder were made, replaced or deleted.
                    for name in renew() { note(.file(name)) }
                    if names == nil { note(.unknown) }
                }
            }
        #endif
        return found
    }

    #if !os(Linux)
        /// Watches the files that have the names now, and returns the names that other files had before.
        private func renew() -> [String] {
            var renewed: [String] = []
            for name in names ?? [] {
                let path = folder + "/" + name
                let identity = POSIX.identity(path)
                let place = opened.firstIndex { $0.name == name }
                if identity == place.flatMap({ opened[$0].identity }) { continue }
                if let place { _ = close(opened.remove(at: place).descriptor) }
                if identity != nil { _ = watch(name, path) }
                renewed.append(name)
            }
            return renewed
        }

        private func watch(_ name: String?, _ path: String) -> Bool {
            let file = open(path, O_EVTONLY | O_CLOEXEC)
            guard file >= 0 else { return false }
            var change = kevent()
            change.ident = UInt(file)
            change.filter = Int16(EVFILT_VNODE)
            change.flags = UInt16(EV_ADD | EV_CLEAR)
            change.fflags = UInt32(NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME)
            opened.append((name, POSIX.identity(path), file))
            return kevent(descriptor, &change, 1, nil, 0, nil) == 0
        }
    #endif
}
