import Foundation
import HTTPServer

/// Facts about this process that the system tells, under the names that dashboards know. A fact that the system does not tell
/// is left out.
enum ProcessFacts {
    /// Adds all of them to a text.
    static func write(to text: inout OpenMetricsText, startedAt: Date) {
        text.family("process_start_time_seconds", .gauge, "When the process started, in seconds since 1970.")
        text.sample(startedAt.timeIntervalSince1970)
        if let seconds = processorSeconds {
            text.family("process_cpu_seconds", .counter, "Processor time of the process.")
            text.sample(seconds)
        }
        if let (resident, all) = memory {
            text.family("process_resident_memory_bytes", .gauge, "Memory that the process has in use.")
            text.sample(resident)
            text.family("process_virtual_memory_bytes", .gauge, "Memory that the process has reserved.")
            text.sample(all)
        }
        if let count = openDescriptors {
            text.family("process_open_fds", .gauge, "Files and sockets that are open.")
            text.sample(count)
        }
        text.family("process_max_fds", .gauge, "Files and sockets that may be open.")
        text.sample(DescriptorLimit.current)
    }

    private static var processorSeconds: Double? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The memory in use and the reserved one, in bytes. Only Linux has the file.
    private static var memory: (resident: Int, all: Int)? {
        // Without the file the system does not tell it.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").prefix(2).compactMap { Int($0) }
        guard pages.count == 2 else { return nil }
        let size = Int(getpagesize())
        return (
            pages[1].multipliedReportingOverflow(by: size).partialValue,
            pages[0].multipliedReportingOverflow(by: size).partialValue
        )
    }

    /// Only Linux has the folder.
    private static var openDescriptors: Int? {
        // Without the folder the system does not tell it.
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
