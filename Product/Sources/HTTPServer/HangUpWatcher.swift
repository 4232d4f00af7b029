import AquiferConcurrency
import CMicrohttpd
import Foundation

/// Tells when a client leaves, and ticks.
///
/// libmicrohttpd does not poll a suspended connection, so the client's leaving would go unseen for as long as a
/// handler works. Every connection is watched here for its whole life, edge-triggered and for hang-ups only: that
/// costs one system call a connection and none a request.
final class HangUpWatcher: @unchecked Sendable {
    private let queue: Int32
    private let ended = DispatchSemaphore(value: 0)
    private let isStopping = Locked(false)
    #if os(Linux)
        private let wake: Int32
    #endif

    /// Neither closure is called after ``stop()`` has returned. Identifiers start at 1.
    init(
        tick: Duration, onHangUp: @escaping @Sendable (UInt64) -> Void, onTick: @escaping @Sendable () -> Void
    ) throws(ServerError) {
        #if os(Linux)
            queue = epoll_create1(Int32(EPOLL_CLOEXEC))
            wake = eventfd(0, Int32(EFD_CLOEXEC))
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
            guard queue >= 0, wake >= 0, epoll_ctl(queue, EPOLL_CTL_ADD, wake, &event) == 0 else {
                let reason = String(cString: strerror(errno))
                // Descriptors that were opened are needed elsewhere, now that there are too few.
                for descriptor in [queue, wake] where descriptor >= 0 { _ = systemClose(descriptor) }
                throw .outOfResources(reason: reason)
            }
        #else
            queue = kqueue()
            var event = Self.event(ident: 0, filter: EVFILT_USER, flags: EV_ADD | EV_CLEAR, fflags: 0, id: 0)
            guard queue >= 0, kevent(queue, &event, 1, nil, 0, nil) == 0 else {
                let reason = String(cString: strerror(errno))
                if queue >= 0 { _ = systemClose(queue) }
                throw .outOfResources(reason: reason)
            }
        #endif
        do throws(SystemThread.Unavailable) {
            try SystemThread.start(named: "HangUpWatcher") { [self] in
                var next = ContinuousClock.now + tick
                while !isStopping.withLock({ $0 }) {
                    for id in hangUps(before: next) { onHangUp(id) }
                    if ContinuousClock.now >= next {
                        onTick()
                        next = .now + tick
                    }
                }
                ended.signal()
            }
        } catch {
            closeDescriptors()
            throw .outOfResources(reason: error.description)
        }
    }

    /// Ends the thread and waits for it.
    func stop() {
        isStopping.withLock { $0 = true }
        #if os(Linux)
            var one: UInt64 = 1
            _ = write(wake, &one, MemoryLayout<UInt64>.size)
        #else
            var event = Self.event(ident: 0, filter: EVFILT_USER, flags: 0, fflags: NOTE_TRIGGER, id: 0)
            _ = kevent(queue, &event, 1, nil, 0, nil)
        #endif
        ended.wait()
        closeDescriptors()
    }

    private func closeDescriptors() {
        _ = systemClose(queue)
        #if os(Linux)
            _ = systemClose(wake)
        #endif
    }

    #if os(Linux)
        /// Watches a socket. Closing it ends the watch.
        func watch(_ socket: Int32, id: UInt64) {
            // Not EPOLLIN: arriving bytes wake nobody here.
            var event = epoll_event(events: EPOLLRDHUP.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: id))
            _ = epoll_ctl(queue, EPOLL_CTL_ADD, socket, &event)
        }

        private func hangUps(before deadline: ContinuousClock.Instant) -> [UInt64] {
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
                let count = epoll_wait(queue, events.baseAddress, Int32(events.count), Int32(left.rounded(.up)))
                return events.prefix(Int(max(0, count))).map(\.data.u64).filter { $0 != 0 }
            }
        }
    #else
        /// Watches a socket. Closing it ends the watch.
        func watch(_ socket: Int32, id: UInt64) {
            // A low-water mark that is never reached: only the end of the stream wakes.
            var event = Self.event(
                ident: UInt(socket), filter: EVFILT_READ, flags: EV_ADD | EV_CLEAR, fflags: NOTE_LOWAT, id: id)
            event.data = Int(Int32.max)
            _ = kevent(queue, &event, 1, nil, 0, nil)
        }

        private func hangUps(before deadline: ContinuousClock.Instant) -> [UInt64] {
            let left = max(.zero, deadline - .now).components
            var timeout = timespec(tv_sec: Int(left.seconds), tv_nsec: Int(left.attoseconds / 1_000_000_000))
            let none = Self.event(ident: 0, filter: 0, flags: 0, fflags: 0, id: 0)
            var events = [Darwin.kevent](repeating: none, count: 64)
            let count = kevent(queue, nil, 0, &events, Int32(events.count), &timeout)
            return events.prefix(Int(max(0, count)))
                .filter { $0.filter == Int16(EVFILT_READ) && $0.flags & UInt16(EV_EOF) != 0 }
                .map { UInt64(UInt(bitPattern: $0.udata)) }
        }

        private static func event(ident: UInt, filter: Int32, flags: Int32, fflags: Int, id: UInt64) -> Darwin.kevent {
            Darwin.kevent(
                ident: ident, filter: Int16(filter), flags: UInt16(flags), fflags: UInt32(fflags), data: 0,
                udata: UnsafeMutableRawPointer(bitPattern: UInt(id)))
        }

        private static func event(
            ident: UInt, filter: Int32, flags: Int32, fflags: Int32, id: UInt64
        ) -> Darwin.kevent {
            event(ident: ident, filter: filter, flags: flags, fflags: Int(fflags), id: id)
        }
    #endif
}
