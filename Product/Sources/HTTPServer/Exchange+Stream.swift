import CMicrohttpd
import Foundation

extension Exchange {
    /// A streamed answer on its way to the client.
    struct Stream {
        enum End {
            case clean
            case cut
        }

        var chunks: [Data] = []
        /// The bytes of the first chunk that have been sent.
        var sent = 0
        var waiting = 0
        var written: UInt64 = 0
        var end: End?
        /// True if a handler writes the body of the answer.
        private(set) var isBegun = false
        /// The announced length; `nil` if it is not known.
        private(set) var length: UInt64?
        private(set) var encoder: (any StreamEncoder)?

        /// True if its end was given, or as much was written as may be sent.
        var isWhole: Bool { end != nil || length.map { written >= $0 } ?? false }

        mutating func begin(length: UInt64?, _ encoder: (any StreamEncoder)?) {
            (isBegun, self.length, self.encoder) = (true, length, encoder)
        }
    }

    /// The bytes of an answer that wait in memory before its writer is held back.
    private static let highWater = 64 * 1024

    /// Runs the producer of a streamed answer, in the handler's task.
    func stream(_ produce: @Sendable (ServerResponseWriter) async throws -> Void) async {
        let writer = ServerResponseWriter { [self] data throws(ServerStreamError) in try await write(data) }
        let hasThrown: Bool
        do {
            try await produce(writer)
            hasThrown = false
        } catch {
            // Not lost: the client sees the connection cut.
            hasThrown = true
        }
        locked { state in
            let isShort = state.stream.length.map { state.stream.written < $0 } ?? false
            // After the client has gone nobody takes it.
            if !hasThrown, !state.isGone, let end = state.stream.encoder?.end() { state.stream.add(end) }
            state.stream.end = hasThrown || isShort ? .cut : .clean
            resume(&state)
        }
    }

    private func write(_ data: Data) async throws(ServerStreamError) {
        // Pieces are encoded in the order in which they are sent. The connection's lock is free meanwhile: the daemon's thread, and with
        // it all other clients, may wait for it.
        let outcome = encoding.withLock {
            let encoder = locked { state -> Result<(any StreamEncoder)?, ServerStreamError> in
                guard !state.isGone, !Task.isCancelled, state.stream.end == nil else { return .failure(.closed) }
                if let length = state.stream.length, UInt64(data.count) > length - state.stream.written {
                    return .failure(.tooLong(announced: length))
                }
                return .success(state.stream.encoder)
            }
            return encoder.map { encoder in
                guard !data.isEmpty else { return }
                let piece = encoder?.encode(data) ?? data
                locked { state in
                    guard !state.isGone else { return }
                    state.stream.add(piece)
                    resume(&state)
                }
            }
        }
        try outcome.get()
        while true {
            let isTaken = locked { state -> Bool? in
                if state.isGone { return nil }
                return state.stream.waiting <= Self.highWater
            }
            guard let isTaken else { throw .closed }
            if isTaken { return }
            if Task.isCancelled { throw .closed }
            await waitForChange { $0.stream.waiting > Self.highWater }
        }
    }

    /// The next bytes of the answer for the daemon; what libmicrohttpd's content reader returns.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (result, waiters, task) = locked { state -> (Int, [CheckedContinuation<Void, Never>], Task<Void, Never>?) in
            if state.isGone { return (aq_mhd_end_with_error(), [], nil) }
            if state.stream.waiting > 0 {
                let count = state.stream.take(into: buffer)
                return (count, state.stream.waiting <= Self.highWater ? state.takeWaiters() : [], nil)
            }
            switch state.stream.end {
            case .clean: return (aq_mhd_end_of_stream(), [], nil)
            case .cut: return (aq_mhd_end_with_error(), [], nil)
            case nil: return suspend(&state) ? (0, [], nil) : (aq_mhd_end_with_error(), state.takeWaiters(), state.task)
            }
        }
        waiters.forEach { $0.resume() }
        task?.cancel()
        if result == aq_mhd_end_with_error() {
            // libmicrohttpd 0.9.75 leaves a chunked answer that ends so standing open until the idle time is over.
            _ = shutdown(connection.socket, Int32(SHUT_RDWR))
        }
        return result
    }
}

extension Exchange.Stream {
    mutating func add(_ chunk: Data) {
        chunks.append(chunk)
        waiting += chunk.count
        written += UInt64(chunk.count)
    }

    mutating func dropChunks() { (chunks, sent, waiting) = ([], 0, 0) }

    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var done = 0
        while filled < buffer.count, done < chunks.count {
            let chunk = chunks[done]
            let count = min(buffer.count - filled, chunk.count - sent)
            let start = chunk.startIndex + sent
            chunk.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), from: start..<start + count)
            filled += count
            sent += count
            if sent == chunk.count {
                sent = 0
                done += 1
            }
        }
        chunks.removeFirst(done)
        waiting -= filled
        return filled
    }
}
