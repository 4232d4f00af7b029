import Foundation

/// The seconds that processes have had of a core, from `/proc`; 0 on systems without it.
enum ProcessorTime {
    /// This process.
    static var own: Double { (try? seconds(of: "self", withEnded: false)) ?? 0 }  // no such file: not Linux

    /// The PostgreSQL server of a port, with all its processes.
    static func server(port: Int) -> Double {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []  // as above
        let all = names.filter { Int($0) != nil }
        let first = all.first { name in
            let command = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
            let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.first?.hasSuffix("postgres") == true && words.contains("-p") && words.contains("\(port)")
        }
        guard let first else { return 0 }
        // A process may end between the list and the look.
        return all.reduce((try? seconds(of: first, withEnded: true)) ?? 0) { sum, name in
            guard let fields = try? fields(of: name), fields[1] == first else { return sum }
            return sum + ((try? seconds(of: name, withEnded: false)) ?? 0)
        }
    }

    /// The fields behind the name of the program: the state is the first one.
    private static func fields(of name: String) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
        return text.split(separator: ")").last.map { $0.split(separator: " ").map(String.init) } ?? []
    }

    private static func seconds(of name: String, withEnded: Bool) throws -> Double {
        let fields = try fields(of: name)
        let ticks = fields[11...(withEnded ? 14 : 12)].compactMap(Double.init).reduce(0, +)
        return ticks / 100
    }
}
