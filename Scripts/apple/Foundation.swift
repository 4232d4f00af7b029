// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Signatures of Apple's Foundation and of Swift's concurrency, as far as the files that call the system use them. See
// Scripts/check-apple. These files are compiled for Apple's systems, where Linux has neither module. Their use
// of Foundation is checked when they are compiled on Linux; here they are checked against Apple's C library.

@_exported import Darwin

public struct URL: Sendable, Hashable {
    public init(filePath: String) {}
    public var path: String { "" }
    public func path(percentEncoded: Bool = true) -> String { "" }
    public func appending(path: String) -> URL { self }
}

public struct UUID: Sendable, Hashable {
    public init() {}
    public var uuidString: String { "" }
}

public struct Date: Sendable, Hashable {
    public init(timeIntervalSince1970: Double) {}
}

public protocol DataProtocol { var regions: CollectionOfOne<Data> { get } }

public struct Data: Sendable, Hashable, RandomAccessCollection, DataProtocol {
    public init() {}
    public init(count: Int) {}
    public enum Deallocator { case free }
    public init(bytesNoCopy bytes: UnsafeMutableRawPointer, count: Int, deallocator: Deallocator) {}
    public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public var regions: CollectionOfOne<Data> { CollectionOfOne(self) }
    public subscript(place: Int) -> UInt8 { 0 }
    public subscript(range: Range<Int>) -> Data { self }
    public func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value { fatalError() }
    public mutating func withUnsafeMutableBytes<Value, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value { fatalError() }
}

public struct POSIXErrorCode: Sendable {
    public init?(rawValue: Int32) {}
    public static var EIO: POSIXErrorCode { POSIXErrorCode(rawValue: 0)! }
}

public struct POSIXError: Error {
    public init(_ code: POSIXErrorCode) {}
}

extension StringProtocol {
    public func replacingOccurrences(of target: String, with replacement: String) -> String { "" }
}

public final class DispatchSemaphore: @unchecked Sendable {
    public init(value: Int) {}
    public func signal() {}
    public func wait() {}
}

extension ContinuousClock.Instant {
    /// In AquiferConcurrency/Milliseconds.swift.
    public var milliseconds: Int32 { 0 }
}

public struct ContinuousClock: Sendable {
    public struct Instant: Sendable, Comparable {
        public static var now: Instant { Instant() }
        public static func < (one: Instant, other: Instant) -> Bool { false }
        public static func + (one: Instant, time: Duration) -> Instant { one }
        public static func - (one: Instant, other: Instant) -> Duration { .zero }
    }
    public init() {}
    public static var now: Instant { Instant() }
}

public struct AsyncStream<Element> {
    public struct Continuation: Sendable { public func finish() {} }
    public static func makeStream(of type: Element.Type) -> (AsyncStream<Element>, Continuation) { fatalError() }
}

extension Duration {
    /// In Aquifer/Support/Duration+Units.swift.
    public func milliseconds<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number { range.lowerBound }
}
