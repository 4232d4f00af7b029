import Foundation

/// A program of this package that is built beside the tests.
package enum BuiltProgram {
    /// The program of this name; `nil` if it is not built.
    ///
    /// The search begins at the running program and goes up. On Apple systems that is a tool of Xcode's, and the search
    /// begins at the bundle of the tests.
    package static func named(_ name: String) -> URL? {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let running = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? "")
        for start in bundles + [running] {
            var folder = start.standardizedFileURL
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let program = folder.appendingPathComponent(name)
                if FileManager.default.isExecutableFile(atPath: program.path) { return program }
            }
        }
        return nil
    }
}
