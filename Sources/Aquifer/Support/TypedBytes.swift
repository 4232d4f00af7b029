import AquiferFoundation

extension ContiguousBytes {
    /// Like `withUnsafeBytes`, but throws the closure's own type of error.
    package func withBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withUnsafeBytes { raw in Result { () throws(Failure) in try body(raw) } }.get()
    }
}

extension Data {
    /// Like `withUnsafeMutableBytes`, but throws the closure's own type of error.
    package mutating func withMutableBytes<Value, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withUnsafeMutableBytes { raw in Result { () throws(Failure) in try body(raw) } }.get()
    }
}

extension POSIX {
    /// Writes all of `bytes` where the last write ended.
    package static func write(_ file: File, _ bytes: some ContiguousBytes) throws(StoreError) {
        try bytes.withBytes { raw throws(StoreError) in try write(file, raw) }
    }

    /// Reads from `offset` until there are `count` bytes or the file ends.
    package static func read(_ file: File, upTo count: Int, at offset: Int = 0) throws(StoreError) -> Data {
        var bytes = Data(count: count)
        let done = try bytes.withMutableBytes { raw throws(StoreError) in try read(file, into: raw, at: offset) }
        // Shortened in place: there is no second copy of what may be secret.
        bytes.removeLast(count - done)
        return bytes
    }
}
