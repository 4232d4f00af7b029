import App
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file that `-o` names.
///
/// - A file is written completely or not at all: the bytes go into a temporary file beside it, which then replaces it
///   atomically. If two commands write the same file, the last one to finish wins.
/// - A replaced file keeps its permissions, and its owner if the system allows it. A file that the user may not write
///   is refused. Other hard links to it keep the old bytes.
/// - A symbolic link stays a link: the file that it points to is replaced or created.
/// - A device, a named pipe or `/dev/stdout` is written in place. `-` is standard output.
final class OutputFile {
    private enum Place {
        case standardOutput
        case inPlace(Descriptor)
        case beside(TemporaryFile, target: String, old: FileStatus?)
    }

    /// The number of bytes written.
    private(set) var count: UInt64 = 0

    private let path: String
    private let console: Console
    private var place: Place

    /// Opens the file at the path.
    ///
    /// - Throws: ``ExitStatus/unwritable``; ``ExitStatus/usage`` for a terminal, which a server's bytes could control.
    init(_ path: String, _ console: Console) throws(CommandError) {
        self.path = path
        self.console = console
        do throws(WriteError) { place = try Self.open(path) } catch { throw .output(error, path) }
        if case .standardOutput = place { console.becomesFile() }
        guard !isTerminal else {
            throw .usage("\(path) is a terminal, and could be driven by these bytes; name a file or a pipe")
        }
    }

    deinit {
        switch place {
        case .standardOutput: break
        case .inPlace(let descriptor): close(descriptor.number)
        case .beside(let temporary, _, _): temporary.remove()
        }
    }

    /// Writes the next bytes.
    ///
    /// - Throws: ``ExitStatus/unwritable``, or ``ExitStatus/closedPipe`` when nobody reads.
    func write(_ data: Data) throws(CommandError) {
        switch place {
        case .standardOutput: try console.out(data)
        case .inPlace(let descriptor): try write(data, to: descriptor)
        case .beside(let temporary, _, _): try write(data, to: temporary.descriptor)
        }
        count += UInt64(data.count)
    }

    private func write(_ data: Data, to descriptor: Descriptor) throws(CommandError) {
        do throws(WriteError) { try descriptor.write(data) } catch { throw .output(error, path) }
    }

    /// Replaces the target with the written file. Without this call nothing is written, except into a device or pipe.
    func finish() throws(CommandError) {
        guard case .beside(let temporary, let target, let old) = place else { return }
        do throws(WriteError) { try temporary.replace(target, like: old) } catch { throw .output(error, path) }
    }

    /// Reports the size and the path of the file. It reports nothing for standard output, which has the file itself.
    ///
    /// - Parameter document: Makes the document of `--json`. The default says that a server sent the file.
    func report(
        _ options: GlobalOptions,
        document: (FileDocument) -> ResultDocument<FileDocument> = { ResultDocument(remote: $0) }
    ) {
        if case .standardOutput = place { return }
        if options.json {
            console.out(json: document(FileDocument(file: path, bytes: count)))
        } else if !options.quiet {
            console.note("\(counted(count, "byte")) written to \(path)")
        }
    }

    private var isTerminal: Bool {
        switch place {
        case .standardOutput: Descriptor.output.isTerminal
        case .inPlace(let descriptor): descriptor.isTerminal
        case .beside: false
        }
    }

    private static func open(_ path: String) throws(WriteError) -> Place {
        if path == "-" { return .standardOutput }
        let old = try FileStatus(path)
        guard let old else { return try beside(path, old) }
        // This is `/dev/stdout`, or a file that standard output was redirected to.
        if old.isSame(as: FileStatus(Descriptor.output)) { return .standardOutput }
        if old.isFolder { throw WriteError(code: EISDIR) }
        return old.isRegular ? try beside(path, old) : .inPlace(try Descriptor(writingTo: path))
    }

    private static func beside(_ path: String, _ old: FileStatus?) throws(WriteError) -> Place {
        let target = try resolvingLinks(path)
        guard old == nil || access(target, W_OK) == 0 else { throw WriteError(code: errno) }
        return .beside(try TemporaryFile(beside: target, isPrivate: old != nil), target: target, old: old)
    }

    /// The path after resolving symbolic links in its last component. Its target need not exist.
    private static func resolvingLinks(_ path: String) throws(WriteError) -> String {
        var path = path
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink(path, &buffer, buffer.count - 1)
            guard count >= 0 else { return path }
            let destination = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = destination.hasPrefix("/") ? destination : path.folder + destination
        }
        throw WriteError(code: ELOOP)
    }
}

extension String {
    /// The path of the folder that a path's last part is in, with a slash at its end; empty for the current one.
    var folder: String { String(self[..<(lastIndex(of: "/").map { index(after: $0) } ?? startIndex)]) }
}
