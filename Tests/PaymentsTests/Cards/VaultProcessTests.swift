#if os(macOS) || os(Linux)
    import AquiferTesting
    import Foundation
    import Testing

    /// The cases that only whole processes can show: being killed, having no room, having no permission.
    @Suite("Vaults and processes", .timeLimit(.minutes(10)))
    struct VaultProcessTests {
        @Test("lose no card when their writers are killed while adding, removing and rotating")
        func killed() throws {
            let (status, output) = try hammer("--parent", "--kills", "40", "--seed", "11")
            #expect(status == 0)
            #expect(output.hasPrefix("40 kills, ") && output.hasSuffix(" rotations, 0 wrong\n"), "\(output)")
        }

        @Test("say that there is no room, and keep all cards")
        func full() async throws {
            try await VaultPlace.with { place in
                let (status, output) = try hammer("--full", "--path", place.root.path)
                #expect(status == 0)
                #expect(output == "add: full\nremove: full\nrotate: full\ncards: all there\n")
                #expect(try place.names(place.folder) == ["cards.mark", "cards.vault", "lock"])
                #expect(try await place.open().cards().count == 10)
            }
        }

        @Test("say that they are read-only, and can be read")
        func readOnly() async throws {
            try await VaultPlace.with { place in
                let (filled, _) = try hammer("--fill", "--path", place.root.path)
                #expect(filled == 0)
                // The files belong to a user who is not root: root may write anything anywhere.
                let nobody = 65534
                for url in [place.root, place.folder, place.keys] {
                    for name in try [""] + (place.names(url)) {
                        let path = name.isEmpty ? url.path : url.path + "/" + name
                        var isFolder: ObjCBool = false
                        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                        var attributes: [FileAttributeKey: Any] = [
                            .posixPermissions: isFolder.boolValue ? 0o500 : 0o400
                        ]
                        if getuid() == 0 { attributes[.ownerAccountID] = nobody }
                        try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
                    }
                }
                let (status, output) = try hammer("--read-only", "--path", place.root.path)
                #expect(status == 0)
                #expect(output == "add: read-only\nremove: read-only\nrotate: read-only\ncards: all there\n")
                for url in [place.root, place.folder, place.keys] { try place.setMode(0o700, url) }
            }
        }

        /// Runs the helper, which is built beside the tests.
        private func hammer(_ arguments: String...) throws -> (status: Int32, output: String) {
            let program = try #require(BuiltProgram.named("VaultHammer"), "VaultHammer is not built")
            let process = Process()
            process.executableURL = program
            process.arguments = arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
    }
#endif
