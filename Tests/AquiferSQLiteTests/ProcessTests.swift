#if os(macOS) || os(Linux)
    import Aquifer
    import AquiferSQLite
    import AquiferTesting
    import Foundation
    import Testing

    /// The cases that only whole processes can show: being killed, having no room, having no permission.
    @Suite("Stores and processes", .timeLimit(.minutes(10)))
    struct ProcessTests {
        @Test(
            "lose and tear nothing that was acknowledged when their writers are killed", arguments: ["sqlite", "file"])
        func killed(kind: String) async throws {
            let (status, output) = try await hammer("--parent", "--store", kind, "--kills", "20", "--seed", "11")
            #expect(status == 0)
            #expect(
                output.hasPrefix("20 kills, ") && output.hasSuffix(" acknowledged writes, 0 lost, 0 torn\n"),
                "\(output)")
        }

        @Test("say that there is no room, keep the entry before, and go on", arguments: ["sqlite", "file"])
        func full(kind: String) async throws {
            try await TemporaryFolder.with { folder in
                let (status, output) = try await hammer("--full", "--store", kind, "--path", folder.path)
                #expect(status == 0)
                // SQLite needs room to open a database (see ``SQLiteStore``).
                let anew = kind == "sqlite" ? "full" : "done"
                #expect(
                    output == """
                        insert: full
                        insert again: full
                        update: full
                        before: still there
                        small: stored
                        opened anew: \(anew)

                        """)
            }
        }

        @Test(
            "save and send nothing for a process that was stopped before, when its scope has ended",
            arguments: ["sqlite", "file"])
        func stopped(kind: String) async throws {
            try await TemporaryFolder.with { folder in
                let (status, output) = try await hammer("--stop", "--store", kind, "--path", folder.path)
                #expect(status == 0)
                #expect(
                    output == """
                        load: end: user/42 has ended, 0 left, 0 sent
                        send: end: user/42 has ended, 0 left, 0 sent
                        fresh load: end: user/42 has ended, 1 left, 0 sent
                        the other user: ["key"]

                        """)
            }
        }

        @Test("go on when their database is cut while they read it, and say that it is damaged")
        func cut() async throws {
            try await TemporaryFolder.with { folder in
                let (status, output) = try await hammer("--cut", "--store", "sqlite", "--path", folder.path)
                #expect(status == 0, "128 and the signal that ended it, if more")
                #expect(output == String(repeating: "cut: told\n", count: 5))
            }
        }

        @Test("say that they are read-only, and can be read", arguments: ["sqlite", "file"])
        func readOnly(kind: String) async throws {
            try await TemporaryFolder.with { folder in
                try await fill(kind, folder)
                try allowReadingOnly(folder)
                defer { allowAll(folder) }
                let (status, output) = try await hammer("--read-only", "--store", kind, "--path", folder.path)
                #expect(status == 0)
                let expected =
                    kind == "file" ? "insert: read-only\ndelete: read-only\nbefore: still there\n" : "open: read-only\n"
                #expect(output == expected)
            }
        }

        @Test("say that a place where they cannot be made is read-only", arguments: ["sqlite", "file"])
        func readOnlyPlace(kind: String) async throws {
            try await TemporaryFolder.with { folder in
                try allowReadingOnly(folder)
                defer { allowAll(folder) }
                let (status, output) = try await hammer("--read-only", "--store", kind, "--path", folder.path)
                #expect(status == 0)
                #expect(output == "open: read-only\n")
            }
        }

        private func fill(_ kind: String, _ folder: URL) async throws {
            let (status, output) = try await hammer("--fill", "--store", kind, "--path", folder.path)
            #expect(status == 0, "\(output)")
        }

        private func allowReadingOnly(_ folder: URL) throws {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                let full = folder.path + "/" + path
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
                try FileManager.default.setAttributes(
                    [.posixPermissions: isFolder.boolValue ? 0o555 : 0o444], ofItemAtPath: full)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        }

        private func allowAll(_ folder: URL) {
            let paths = (FileManager.default.subpaths(atPath: folder.path) ?? []).map { folder.path + "/" + $0 }
            for path in [folder.path] + paths {
                // The mode is restored only so that the folder can be removed, which root can do anyway.
                try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
            }
        }

        /// Runs the helper, which is built beside the tests.
        private func hammer(_ arguments: String...) async throws -> (status: Int32, output: String) {
            let program = try #require(BuiltProgram.named("StoreHammer"), "StoreHammer is not built")
            return try await Child.run(program.path, arguments)
        }
    }
#endif
