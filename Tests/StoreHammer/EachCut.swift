import Aquifer
import AquiferSQLite
import Foundation
import Hammer

/// A database is cut to each length, one after another, while it is open and being read.
///
/// Each entry is then what it was, or the store throws. A store that maps the file ends the process here: a page of the
/// map that lies behind the end of the file is a `SIGBUS`.
enum EachCut {
    /// - Parameter step: 1 for each length, or the distance between two lengths.
    static func run(_ path: String, step: Int) async throws {
        let entry = StoredEntry(bytes: Data(repeating: 7, count: 5_000), savedAt: Date(timeIntervalSince1970: 0))
        let keys = (0..<12).map { "key \($0)" }
        // It stays open: the log goes on saying how long the file should be.
        let writer = try await Faults.filled(path, keys, entry)
        defer { withExtendedLifetime(writer) {} }
        let file = URL(fileURLWithPath: path + "/store.db")
        let whole = try Data(contentsOf: file)
        var (cuts, told, unharmed) = (0, 0, 0)
        for length in stride(from: whole.count - 1, through: 0, by: -step) {
            try restore(file, whole)
            // A store that has read nothing but one entry: the others are in the file alone.
            let store = try Plan.open("sqlite", path)
            guard try await store.retrieve(keys[0]) == entry else { throw Trouble("it was not restored") }
            guard truncate(file.path, off_t(length)) == 0 else { throw Trouble("it cannot be cut") }
            var isTold = false
            for key in keys {
                do {
                    guard try await store.retrieve(key) == entry else {
                        throw Trouble("cut to \(length) bytes, \(key) is missing or another")
                    }
                } catch is StoreError { isTold = true }
            }
            do {
                let contents = try await store.contents()
                let listed = contents.entries.count + contents.damaged.count
                guard listed >= keys.count else {
                    throw Trouble("cut to \(length) bytes, the list has \(listed) entries")
                }
            } catch is StoreError { isTold = true }
            cuts += 1
            if isTold { told += 1 } else { unharmed += 1 }
        }
        print("\(cuts) cuts: \(told) told, \(unharmed) harmed nothing that is read")
    }

    /// Writes the bytes into the same file, which stays the one that is open.
    private static func restore(_ file: URL, _ whole: Data) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: whole)
        try handle.close()
    }
}
