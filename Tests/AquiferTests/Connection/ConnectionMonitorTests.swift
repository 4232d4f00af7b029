import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

#if canImport(Glibc)
    import Glibc
#endif

@Suite("A monitor of the connection", .timeLimit(.minutes(10)))
struct ConnectionMonitorTests {
    @Test("tells each reader the state of the moment, and each other one once")
    func tells() async {
        let monitor = ManualConnectionMonitor(.connected)
        var early = monitor.updates.makeAsyncIterator()
        #expect(await early.next() == .connected)
        for state in [.connected, .unknown, .unknown, .notConnected] as [ConnectionState] { monitor.state = state }
        var late = monitor.updates.makeAsyncIterator()
        #expect(await early.next() == .unknown)
        #expect(await early.next() == .notConnected)
        #expect(await late.next() == .notConnected)
        #expect(monitor.readers == 2)
    }

    @Test("keeps the last states for a slow reader")
    func slowReader() async {
        let monitor = ManualConnectionMonitor(.unknown)
        let updates = monitor.updates
        for count in 0..<1001 { monitor.state = count.isMultiple(of: 2) ? .notConnected : .connected }
        monitor.state = .connected
        var states: [ConnectionState] = []
        for await state in updates {
            states.append(state)
            if states.count == 16 { break }
        }
        #expect(states.last == .connected && states.contains(.notConnected))
    }

    @Test("counts no address that an interface without a network gives itself, and each other one")
    func linkAddresses() {
        for bytes in [[169, 254, 0, 1], [169, 254, 255, 255]] as [[UInt8]] {
            #expect(!NetworkInterfaces.leadBeyondTheirLink(bytes))
        }
        for bytes in [[169, 253, 0, 1], [168, 254, 0, 1], [10, 0, 0, 1], [192, 168, 0, 1]] as [[UInt8]] {
            #expect(NetworkInterfaces.leadBeyondTheirLink(bytes))
        }
        func long(_ first: UInt8, _ second: UInt8) -> [UInt8] { [first, second] + [UInt8](repeating: 0, count: 14) }
        for second in [0x80, 0x9a, 0xbf] as [UInt8] {
            #expect(!NetworkInterfaces.leadBeyondTheirLink(long(0xfe, second)))
        }
        for (first, second) in [(0xfe, 0x7f), (0xfe, 0xc0), (0xfd, 0x80), (0x20, 0x01), (169, 254)] as [(UInt8, UInt8)]
        {
            #expect(NetworkInterfaces.leadBeyondTheirLink(long(first, second)))
        }
    }

    @Test("watches while there is a reader, and begins anew for a later one")
    func watches() async {
        let watches = Locked([Watch]())
        let listeners = ConnectionListeners { tell in
            let watch = Watch(tell: tell)
            watches.withLock { $0.append(watch) }
            return watch
        }
        #expect(watches.withLock { $0.isEmpty } && listeners.count == 0)
        var first: AsyncStream<ConnectionState>? = listeners.updates
        let second = listeners.updates
        watches.withLock { $0[0] }.tell(.notConnected)
        #expect(await second.first { _ in true } == .notConnected)
        first = nil
        _ = first
        #expect(listeners.count == 1 && watches.withLock { $0.count } == 1)
        let reading = Task { await second.first { $0 == .unknown } }
        reading.cancel()
        _ = await reading.value
        #expect(await eventually { listeners.count == 0 })

        // The network is looked at anew, and the watch of before tells nothing any more.
        var later = listeners.updates.makeAsyncIterator()
        #expect(watches.withLock { $0.count } == 2)
        watches.withLock { $0[0] }.tell(.notConnected)
        watches.withLock { $0[1] }.tell(.connected)
        #expect(await later.next() == .connected)
    }

    private final class Watch: Sendable {
        let tell: ConnectionListeners.Tell
        init(tell: @escaping ConnectionListeners.Tell) { self.tell = tell }
    }

    #if os(Linux)
        /// The netlink sockets of this process, by their inodes.
        private var netlinkSockets: Set<UInt64> {
            Set(
                (Int32(0)..<4096).compactMap { descriptor in
                    var address = sockaddr()
                    var size = socklen_t(MemoryLayout<sockaddr>.size)
                    var facts = stat()
                    guard getsockname(descriptor, &address, &size) == 0, Int32(address.sa_family) == AF_NETLINK,
                        fstat(descriptor, &facts) == 0
                    else { return nil }
                    return UInt64(facts.st_ino)
                })
        }

        @Test("asks the system, and leaves no descriptor when nobody reads")
        func system() async {
            let monitor = SystemConnectionMonitor()
            // Monitors of other tests may still be there.
            let others = netlinkSockets
            for _ in 0..<20 {
                let updates = monitor.updates
                #expect(await eventually { !netlinkSockets.subtracting(others).isEmpty })
                var reader = updates.makeAsyncIterator()
                let expected: ConnectionState = NetworkInterfaces.mayReachOthers ? .connected : .notConnected
                #expect(await reader.next() == expected)
            }
            #expect(await eventually { netlinkSockets.isSubset(of: others) })
        }

        @Test(
            "sees a link come and go",
            .enabled("in a network of its own: see Tests/Scripts/test_connection.py") {
                ProcessInfo.processInfo.environment["AQUIFER_OWN_NETWORK"] == "1"
            })
        func link() async throws {
            var reader = SystemConnectionMonitor().updates.makeAsyncIterator()
            #expect(await reader.next() == .notConnected)
            for _ in 0..<10 {
                try ip("link add aq0 type veth peer name aq1")
                try ip("addr add 10.8.8.8/24 dev aq0")
                try ip("link set aq1 up")
                try ip("link set aq0 up")
                #expect(await reader.next() == .connected)
                try ip("link del aq0")
                #expect(await reader.next() == .notConnected)
            }
        }

        private func ip(_ words: String) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["ip"] + words.split(separator: " ").map(String.init)
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "ip \(words)")
        }
    #endif
}
