import App
import AquiferShadowDrive
import Foundation
import ReferenceAPIs

/// The type of an option's value: the texts that are accepted, and the words that a shell offers.
struct ValueType<Value: Sendable>: Sendable {
    let words: WordKind
    let read: @Sendable (String) throws(ValueMistake) -> Value

    init(
        _ words: WordKind = .text, _ read: @escaping @Sendable (String) throws(ValueMistake) -> Value
    ) {
        self.words = words
        self.read = read
    }

    /// The texts for which `read` returns a value. `form` describes them.
    static func form(
        _ form: String, _ words: WordKind = .text, _ read: @escaping @Sendable (String) -> Value?
    ) -> ValueType {
        ValueType(words) { (text) throws(ValueMistake) in
            guard let value = read(text) else { throw .expected(form) }
            return value
        }
    }
}

/// The reason why a text is not a value of a type.
enum ValueMistake: Error {
    /// The text has another form than this one.
    case expected(String)
    /// This part of the text has another form than this one.
    case expectedPart(String, part: String)
    /// The text is empty. It must be this.
    case missing(String)
    /// The text has the right form, and something in it is wrong.
    case wrong(String)
}

extension ValueType<String> {
    /// Any text.
    static var text: ValueType { ValueType { text in text } }
    /// The path of a file.
    static var file: ValueType {
        ValueType(.file) { (path) throws(ValueMistake) in
            guard !path.isEmpty else { throw .missing("a file") }
            return path
        }
    }
}

extension ValueType<URL> {
    /// The path of a folder.
    static var folder: ValueType {
        ValueType(.folder) { (path) throws(ValueMistake) in
            guard !path.isEmpty else { throw .missing("a folder") }
            return URL(filePath: path, directoryHint: .isDirectory)
        }
    }

    /// A web address.
    static var address: ValueType { ValueType { (text) throws(ValueMistake) in try webAddress(text) } }

    fileprivate static func webAddress(_ text: String) throws(ValueMistake) -> URL {
        guard let url = URL(foreign: text), url.isWebAddress else {
            throw .expectedPart("an http or https address", part: text)
        }
        guard url.user() == nil, url.password() == nil else {
            throw .wrong("an address must have no name and no password, because addresses are saved and printed")
        }
        return url
    }
}

/// The addresses of servers. No part of one is repeated, because it may have a password in it.
extension ValueType<StoreAddress> {
    /// An address of PostgreSQL.
    static var postgres: ValueType { checked { (text) throws(StoreAddress.Mistake) in try .postgres(text) } }
    /// An address of Redis.
    static var redis: ValueType { checked { (text) throws(StoreAddress.Mistake) in try .redis(text) } }

    private static func checked(
        _ read: @escaping @Sendable (String) throws(StoreAddress.Mistake) -> StoreAddress
    ) -> ValueType {
        ValueType { (text) throws(ValueMistake) in
            do throws(StoreAddress.Mistake) { return try read(text) } catch { throw .wrong(error.description) }
        }
    }
}

extension ValueType<WebOrigin> {
    /// The address of a proxy.
    static var origin: ValueType {
        form("http:// or https://, a host, and no path") { text in WebOrigin(text) }
    }
}

extension ValueType where Value: FixedWidthInteger {
    /// A whole number that is not negative.
    static var number: ValueType {
        form("a whole number up to \(Value.max)") { text in Value(text).flatMap { $0 >= 0 ? $0 : nil } }
    }
}

extension ValueType<Int> {
    /// A number from one.
    static var count: ValueType { form("a number from 1") { text in Int(text).flatMap { $0 > 0 ? $0 : nil } } }
}

extension ValueType<Int> {
    /// The time in which load balancers notice that a server drains.
    static var drainSeconds: ValueType {
        form("a number of seconds from 0 to 300") { text in Int(text).flatMap { (0...300).contains($0) ? $0 : nil } }
    }
}

extension ValueType<ServiceLog.Format> {
    /// The form of the log.
    static var logFormat: ValueType {
        let names = ServiceLog.Format.allCases.map(\.rawValue)
        return form(names.joined(separator: ", "), .choices(names)) { text in ServiceLog.Format(rawValue: text) }
    }
}

extension ValueType<UInt64> {
    /// A size such as `500MB`.
    static var size: ValueType {
        ValueType { (text) throws(ValueMistake) in
            do { return try StorageSize.parse(text) } catch { throw .wrong("\(error)") }
        }
    }
}

extension ValueType<UInt16> {
    /// The number of a port.
    static var port: ValueType { form("a number from 0 to 65535") { text in UInt16(text) } }
}

extension ValueType where Value: Base58Value {
    /// A key, an address or a hash in base58.
    static var base58: ValueType {
        ValueType { (text) throws(ValueMistake) in
            do throws(Base58Error) { return try Value(text) } catch { throw .wrong("\(error)") }
        }
    }
}

/// The server of one app: the value of `--remote`.
struct ChosenRemote: Sendable {
    let remote: ReferenceRemote
    let address: URL
}

extension ValueType<ChosenRemote> {
    /// `NAME=URL`.
    static var remote: ValueType {
        ValueType(.choices(ReferenceRemote.allCases.map { "\($0.rawValue)=" })) {
            (text) throws(ValueMistake) in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let remote = ReferenceRemote(rawValue: parts[0]) else {
                let names = ReferenceRemote.allCases.map(\.rawValue).joined(separator: ", ")
                throw .expected("NAME=URL, with a name of \(names)")
            }
            return ChosenRemote(remote: remote, address: try ValueType<URL>.webAddress(parts[1]))
        }
    }
}

/// The fault of one reference remote: the value of `--fault`.
struct ChosenFault: Sendable {
    let remote: ReferenceRemote
    let fault: Fault
}

extension ValueType<ChosenFault> {
    /// `REMOTE=FAULT`.
    static var fault: ValueType {
        form(
            "REMOTE=FAULT (remotes: \(ReferenceRemote.allCases.map(\.rawValue).joined(separator: ", "));"
                + " faults: \(Fault.forms.joined(separator: ", ")))",
            .choices(
                ReferenceRemote.allCases.flatMap { remote in Fault.allCases.map { "\(remote.rawValue)=\($0.rawValue)" }
                })
        ) { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let remote = ReferenceRemote(rawValue: parts[0]),
                let fault = Fault(rawValue: parts[1])
            else { return nil }
            return ChosenFault(remote: remote, fault: fault)
        }
    }
}

extension ValueType<TimeOption> {
    /// A date, or an offset from now.
    static var time: ValueType {
        form("a time such as 2026-11-21T09:00:00Z, +8d or -1h") { text in TimeOption(text) }
    }
}
