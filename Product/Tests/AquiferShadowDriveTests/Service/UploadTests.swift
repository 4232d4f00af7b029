import Aquifer
import AquiferConcurrency
import AquiferCrypto
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Uploads", .timeLimit(.minutes(10)))
struct UploadTests {
    private func answer(_ names: [String], errors: [String] = []) -> DriveWorld.Reply {
        let world = FileLocation.self
        let places = names.compactMap { world.init($0, in: Vectors.account, base: DriveWorld.files) }.map {
            "\"\($0)\""
        }
        let failures = errors.map { #"{"file":"\#($0)","storage_account":"\#(Vectors.account)","error":"no room"}"# }
        return .json(
            #"{"finalized_locations":[\#(places.joined(separator: ","))],"message":"m","upload_errors":[\#(failures.joined(separator: ","))]}"#
        )
    }

    @Test("sends the fields of the contract, in its order, byte for byte")
    func fields() async throws {
        let world = DriveWorld(["upload": [answer(["alpha.txt", "not_alpha.txt"])]])
        let files = [try world.file("alpha.txt", Data("one".utf8)), try world.file("not_alpha.txt", Data("two".utf8))]
        let results = try await world.service.upload(files, to: world.account, overwrite: true)
        #expect(results.map(\.location?.text) == ["alpha.txt", "not_alpha.txt"].map { world.location($0).text })
        let request = try #require(world.requests("upload").first)
        let type = try #require(request.headers["Content-Type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        let signature = Vectors.all.signed_messages["upload_multiple"]!.signature_base58
        func field(_ name: String, _ value: String) -> String {
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        func file(_ name: String, _ value: String) -> String {
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: text/plain\r\n\r\n\(value)\r\n"
        }
        #expect(
            request.wire == file("alpha.txt", "one") + file("not_alpha.txt", "two") + field("message", signature)
                + field("signer", "\(world.owner.publicKey)") + field("storage_account", "\(world.account)")
                + field("fileNames", "alpha.txt,not_alpha.txt") + field("overwrite", "true") + "--\(boundary)--\r\n")
        #expect(type == "multipart/form-data; boundary=\(boundary)")
    }

    @Test("without overwriting there is no such field, and the message is that of the vectors")
    func single() async throws {
        let world = DriveWorld(["upload": [answer(["hello.txt"])]])
        try await world.service.upload([world.file("hello.txt")], to: world.account)
        let wire = try #require(world.requests("upload").first).wire
        #expect(!wire.contains("overwrite"))
        #expect(wire.contains(Vectors.all.signed_messages["upload_single"]!.signature_base58))
    }

    @Test(
        "names with #, ?, spaces, quotes, unicode keep their letters, in composed form",
        arguments: [
            "a#b.txt", "a?b.txt", "two words.txt", "nai\u{308}ve ☃.txt", "quote\"d.txt", "😀.txt", "100%.txt",
        ])
    func names(name: String) async throws {
        let composed = name.precomposedStringWithCanonicalMapping
        let world = DriveWorld()
        let results = try await world.service.upload([world.file(name)], to: world.account)
        #expect(results.first?.location?.text == world.location(composed).text)
        let wire = try #require(world.requests("upload").first).wire
        #expect(wire.contains("\r\n\r\n\(composed)\r\n"), "fileNames has the name as it is")
        #expect(wire.contains("filename=\"\(composed.replacingOccurrences(of: "\"", with: "%22"))\""))
    }

    @Test("twelve files go in batches of five, and each is told, in order")
    func batches() async throws {
        let names = (0..<12).map { "file \($0).txt" }
        let world = DriveWorld()
        let events = Locked<[UploadEvent]>([])
        let results = try await world.service.upload(names.map { try world.file($0) }, to: world.account) { event in
            events.withLock { $0.append(event) }
        }
        #expect(results.map(\.name) == names && results.allSatisfy { $0.location != nil })
        #expect(
            world.requests("upload").map { $0.wire.components(separatedBy: "name=\"file\"").count - 1 } == [5, 5, 2])
        let all = events.withLock { $0 }
        #expect(all.compactMap { if case .file(let result) = $0 { result.name } else { nil } } == names)
        let progress = all.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
        expectMonotonic(progress)
        #expect(progress.last == UploadProgress(sent: 12 * 7, total: 12 * 7, filesDone: 12, files: 12))
    }

    private func expectMonotonic(_ progress: [UploadProgress]) {
        #expect(progress.count > 1, "there is progress to look at")
        for (one, next) in zip(progress, progress.dropFirst()) {
            #expect(one.sent <= next.sent && one.filesDone <= next.filesDone && one.total == next.total)
        }
        #expect(progress.allSatisfy { $0.sent <= $0.total && $0.fraction <= 1 })
    }

    @Test("one bad file is told before anything is sent, and the others go on")
    func oneBad() async throws {
        let world = DriveWorld()
        let large = try world.file("large.bin", size: ShadowDriveLimits.fileBytes + 1)
        let files = [
            try world.file("a.txt"), large, world.folder.appending(path: "gone.txt"), world.folder,
            try world.file("b,c.txt"), try world.file("d.txt"), try world.file("a.txt"),
        ]
        let results = try await world.service.upload(files, to: world.account)
        #expect(results.map { $0.location != nil } == [true, false, false, false, false, true, false])
        #expect(results[1].error == .file(.tooLarge(name: "large.bin", bytes: (1 << 30) + 1)))
        #expect("\(results[1].error!)".contains("1073741825 bytes, and 1 GB (1073741824 bytes) are the most"))
        for (place, kind) in [(2, "gone.txt"), (3, world.folder.lastPathComponent)] {
            guard case .file(.unreadable(kind, _))? = results[place].error else {
                Issue.record("\(place) is \(String(describing: results[place].error))")
                continue
            }
        }
        #expect(results[4].error == .file(.badName(name: "b,c.txt", reason: "a comma separates names")))
        #expect(results[6].error == .file(.repeated(name: "a.txt")))
        #expect(world.requests("upload").count == 1)
    }

    @Test("a file of exactly 1 GiB is taken, and is not read into memory")
    func largest() async throws {
        let world = DriveWorld()
        let file = try world.file("large.bin", size: ShadowDriveLimits.fileBytes)
        let results = try await world.service.upload([file], to: world.account)
        #expect(results.first?.location != nil)
        let parts = try #require(world.requests("upload").first?.body?.parts)
        let inMemory = parts.reduce(0) { sum, part in if case .bytes(let data) = part { sum + data.count } else { sum }
        }
        #expect(inMemory < 4096 && parts.contains(.file(file, offset: 0, length: 1 << 30)))
    }

    @Test("a file that the server did not take is told in its words, the others are stored")
    func serverErrors() async throws {
        let world = DriveWorld(["upload": [answer(["a.txt", "c.txt"], errors: ["b.txt"])]])
        let files = try ["a.txt", "b.txt", "c.txt"].map { try world.file($0) }
        let results = try await world.service.upload(files, to: world.account)
        #expect(results.map { $0.location != nil } == [true, false, true])
        #expect(results[1].error == .refused(DriveRefusal(status: 200, words: "no room")))
    }

    @Test("a file that the answer does not mention is not told as stored")
    func notMentioned() async throws {
        let world = DriveWorld(["upload": [answer(["a.txt"])]])
        let results = try await world.service.upload(
            try ["a.txt", "b.txt"].map { try world.file($0) }, to: world.account)
        #expect(results[0].location != nil)
        guard case .outcomeUnknown(.invalidData)? = results[1].error else {
            Issue.record("is \(String(describing: results[1].error))")
            return
        }
    }

    @Test("a batch refused as a whole is sent again file by file, so that the good ones arrive")
    func refusedBatch() async throws {
        let world = DriveWorld(
            client: ScriptedHTTPClient { request in
                request.wire.contains("bad.txt")
                    ? .error("bad.txt is bad", status: 400) : DriveWorld.usual(DriveWorld.name(of: request), request)
            })
        let events = Locked<[UploadProgress]>([])
        let results = try await world.service.upload(
            try ["a.txt", "bad.txt", "c.txt"].map { try world.file($0) }, to: world.account
        ) { event in
            if case .progress(let progress) = event { events.withLock { $0.append(progress) } }
        }
        #expect(results.map { $0.location != nil } == [true, false, true])
        #expect(results[1].error == .refused(DriveRefusal(status: 400, words: "bad.txt is bad")))
        #expect(world.requests("upload").count == 4)
        expectMonotonic(events.withLock { $0 })
    }

    @Test("a signature that is not taken concerns all files, and is not tried again")
    func badSignature() async throws {
        let world = DriveWorld(["upload": [.error("bad signature", status: 401)]])
        let results = try await world.service.upload(try ["a", "b"].map { try world.file($0) }, to: world.account)
        let refusal = DriveError.refused(DriveRefusal(status: 401, words: "bad signature"))
        #expect(results.map(\.error) == [refusal, refusal])
        #expect(world.requests("upload").count == 1)
    }

    @Test("an answer that names a file neither as stored nor as failed leaves it open, until the account is looked at")
    func notNamed() async throws {
        for answer in [
            #"{"message":"m","upload_errors":[{"file":"D1.TXT","storage_account":"x","error":"no room"}]}"#,
            #"{"message":"m"}"#, #"{"message":"m","finalized_locations":[]}"#,
        ] {
            let world = DriveWorld([
                "upload": [.json(answer)], "list-objects": [.json(#"{"keys":[]}"#)],
                "list-objects-and-sizes": [.json(#"{"files":[{"file_name":"d2.txt","size":7}]}"#)],
            ])
            let results = try await world.service.upload(
                try ["d1.txt", "d2.txt"].map { try world.file($0) }, to: world.account)
            #expect(results.map { $0.location != nil } == [false, true], "\(answer)")
            #expect(results[0].error?.isOutcomeUnknown == true, "\(answer)")
        }
    }

    @Test("without an answer, a file that may have been there before counts as stored only if its content is the same")
    func content() async throws {
        for (there, isStored) in [("content", true), ("CONTENT", false), ("content and more", false)] {
            let world = DriveWorld([
                "upload": [.failure(TransportError(.interrupted))],
                "list-objects": [.error("Internal", status: 500)],
                "list-objects-and-sizes": [.json(#"{"files":[{"file_name":"a.txt","size":7}]}"#)],
                "a.txt": [.json(there)],
            ])
            let results = try await world.service.upload([try world.file("a.txt")], to: world.account)
            #expect(results.map { $0.location != nil } == [isStored], "\(there)")
            #expect(isStored || results[0].error?.isOutcomeUnknown == true)
        }
    }

    @Test("an upload that the server failed at after it stored the files is told as stored, and not as taken")
    func failedAfterStoring() async throws {
        let world = DriveWorld([
            "upload": [.error("Internal", status: 500)], "list-objects": [.json(#"{"keys":[]}"#)],
            "list-objects-and-sizes": [
                .json(#"{"files":[{"file_name":"a.txt","size":7},{"file_name":"b.txt","size":7}]}"#)
            ],
        ])
        let results = try await world.service.upload(
            try ["a.txt", "b.txt"].map { try world.file($0) }, to: world.account)
        #expect(results.allSatisfy { $0.location != nil } && world.requests("upload").count == 1)
    }

    @Test("names are compared by their bytes: a composed and a decomposed one are two files")
    func twoForms() async throws {
        let (composed, decomposed) = ("\u{e9}.txt", "e\u{301}.txt")
        let list = #"{"files":[{"file_name":"\#(composed)","size":7},{"file_name":"\#(decomposed)","size":8}]}"#
        let world = DriveWorld(["list-objects-and-sizes": [.json(list)]])
        let files = try await world.service.api.listFiles(in: world.account)
        #expect(files.map(\.size) == [7, 8] && Set(files.map(\.id)).count == 2)
        let info = try await world.service.api.storageAccountInfo(world.account)
        let contents = AccountContents(account: info, files: files)
        #expect(contents.removing(decomposed).files.map(\.size) == [7])
        #expect(contents.storing(StoredFile(name: decomposed, size: 9)).files.map(\.size) == [7, 9])
        let taken = DriveWorld(["list-objects": [.json(#"{"keys":["\#(decomposed)"]}"#)]])
        let results = try await taken.service.upload([try taken.file(composed)], to: taken.account)
        #expect(results[0].location != nil, "the other one is another file")
    }

    @Test(
        "an edit sends and signs the name in the very form that the address has",
        arguments: ["\u{e9}.txt", "e\u{301}.txt"])
    func editForm(name: String) async throws {
        let world = DriveWorld()
        let location = world.location(name)
        let file = try world.file("new")
        _ = await failure { () async throws(DriveError) in try await world.service.editFile(location, with: file) }
        let wire = try #require(world.requests("edit").first).wire
        let message = SignedMessage.edit(name, in: world.account, hash: SHA256Hash.hash(Data("content".utf8)))
        #expect(wire.utf8.count > 0 && Data(wire.utf8).range(of: Data("filename=\"\(name)\"".utf8)) != nil)
        #expect(wire.contains("\(message.signature(by: world.owner))"))
    }

    @Test("a file that was changed while it replaced another is told so, and not as a wrong signature")
    func changedMeanwhile() async throws {
        let place = Locked<URL?>(nil)
        let world = DriveWorld(
            client: ScriptedHTTPClient { request in
                guard DriveWorld.name(of: request) == "edit", let url = place.withLock({ $0 }) else { return .offline }
                try? Data("CONTENT".utf8).write(to: url)
                return .error("bad signature", status: 401)
            })
        let file = try world.file("a")
        place.withLock { $0 = file }
        let error = await failure { () async throws(DriveError) in
            try await world.service.editFile(world.location("a"), with: file)
        }
        #expect(error == .file(.changed(name: "a")))
    }

    @Test("a time-out on the way: what arrived is looked for, and told")
    func timeOut() async throws {
        let world = DriveWorld([
            "upload": [.failure(TransportError(.timedOut))], "list-objects": [.json(#"{"keys":[]}"#)],
            "list-objects-and-sizes": [
                .json(#"{"files":[{"file_name":"a.txt","size":7},{"file_name":"b.txt","size":3}]}"#)
            ],
        ])
        let results = try await world.service.upload(
            try ["a.txt", "b.txt", "c.txt"].map { try world.file($0) }, to: world.account)
        #expect(results.map { $0.location != nil } == [true, false, false], "b.txt is there in part")
        #expect(results[1].error == .outcomeUnknown(because: .connectivity(TransportError(.timedOut))))
        #expect(world.requests("upload").count == 1)
        let replacing = try await world.service.upload([try world.file("a.txt")], to: world.account, overwrite: true)
        #expect(replacing[0].error == results[1].error, "the old one is of the same size")
    }

    @Test("a name that is taken is told as such, and nothing of the file is sent; the others arrive")
    func taken() async throws {
        let world = DriveWorld(["list-objects": [.json(#"{"keys":["a.txt"]}"#)]])
        let files = try ["a.txt", "b.txt"].map { try world.file($0) }
        let results = try await world.service.upload(files, to: world.account)
        #expect(results.map(\.error) == [.file(.exists(name: "a.txt")), nil])
        #expect(world.requests("upload").map { $0.wire.contains("a.txt") } == [false])
        let replaced = try await world.service.upload(files, to: world.account, overwrite: true)
        #expect(replaced.allSatisfy { $0.error == nil })
    }

    @Test("only the files whose names were agreed to are replaced, in a request of their own")
    func agreed() async throws {
        let composed = "\u{e9}.txt"
        let world = DriveWorld([
            "list-objects": [.json(#"{"keys":["a.txt","b.txt","\#(composed)"]}"#)]
        ])
        let files = try ["a.txt", "b.txt", "c.txt", "e\u{301}.txt"].map { try world.file($0) }
        let results = try await world.service.upload(
            files, to: world.account, replacing: ["a.txt", "e\u{301}.txt", "gone.txt"])
        #expect(results.map(\.error) == [nil, .file(.exists(name: "b.txt")), nil, nil])
        #expect(results.map(\.name) == ["a.txt", "b.txt", "c.txt", composed], "each in its place")
        let sent = world.requests("upload").map(\.wire)
        #expect(sent.map { $0.contains("name=\"overwrite\"") } == [true, false])
        #expect(sent.map { $0.contains("filename=\"c.txt\"") } == [false, true])
        #expect(sent.allSatisfy { !$0.contains("filename=\"b.txt\"") })
    }

    @Test("a file that nobody agreed to replace is not replaced if the stored names are not known either")
    func agreedUnlisted() async throws {
        let world = DriveWorld()
        let files = try ["a.txt", "b.txt"].map { try world.file($0) }
        _ = try await world.service.upload(files, to: world.account, replacing: ["b.txt"])
        let sent = world.requests("upload").map(\.wire)
        #expect(sent.map { $0.contains("name=\"overwrite\"") } == [true, false])
        #expect(sent.map { $0.contains("filename=\"a.txt\"") } == [false, true])
    }

    @Test(
        "a name that was taken meanwhile is told as such from the server's words",
        arguments: ["a file of this name exists already", "File a.txt already exists"])
    func takenMeanwhile(words: String) async throws {
        let body = #"{"message":"m","finalized_locations":[],"upload_errors":[{"file":"a.txt","error":"\#(words)"}]}"#
        let world = DriveWorld(["upload": [.json(body)]])
        let results = try await world.service.upload([try world.file("a.txt")], to: world.account)
        #expect(results.first?.error == .file(.exists(name: "a.txt")))
    }

    @Test("offline: every file is told, and it is sent once")
    func offline() async throws {
        let world = DriveWorld(["upload": [.offline]])
        let results = try await world.service.upload([try world.file("a.txt")], to: world.account)
        #expect(results[0].error == .connectivity(TransportError(.cannotConnect)))
        #expect(world.requests("upload").count == 1)
    }

    @Test("progress follows what goes out, and only grows")
    func progress() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            return name == "upload" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let file = try world.file("a.bin", Data(count: 10_000))
        let progress = Locked<[UploadProgress]>([])
        let uploading = Task {
            try await world.service.upload([file], to: world.account) { event in
                if case .progress(let now) = event { progress.withLock { $0.append(now) } }
            }
        }
        let exchange = await client.exchange(1)
        let length = try #require(exchange.request.body?.length)
        exchange.takeBody(length / 2)
        #expect(progress.withLock { $0.last?.sent }.map { (4_900...5_000).contains($0) } == true)
        exchange.takeBody(length / 4)
        exchange.takeBody(length)
        exchange.respond(body: Data(#"{"finalized_locations":["\#(world.location("a.bin"))"]}"#.utf8))
        #expect(try await uploading.value.first?.location != nil)
        let all = progress.withLock { $0 }
        expectMonotonic(all)
        #expect(all.last?.fraction == 1 && all.count >= 3)
    }

    @Test("leaving the stream stops the transfer")
    func cancelled() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            return name == "upload" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let files = try (0..<7).map { try world.file("\($0)") }
        let watching = Task {
            for await _ in world.service.uploading(files, to: world.account) {}
        }
        let exchange = await client.exchange(1)
        watching.cancel()
        await exchange.waitForCancellation()
        await watching.value
        #expect(world.requests("upload").count == 1)
    }

    @Test("a cancelled upload tells the files that were not sent")
    func cancelledResults() async throws {
        let client = ScriptedHTTPClient { request in
            let name = DriveWorld.name(of: request)
            return name == "upload" ? .held : DriveWorld.usual(name, request)
        }
        let world = DriveWorld(client: client)
        let files = try (0..<7).map { try world.file("\($0)") }
        let uploading = Task { try await world.service.upload(files, to: world.account) }
        let places = (0..<5).map { "\"\(world.location("\($0)"))\"" }.joined(separator: ",")
        await client.exchange(1).respond(body: Data(#"{"finalized_locations":[\#(places)]}"#.utf8))
        _ = await client.exchange(2)
        uploading.cancel()
        let results = try await uploading.value
        #expect(results.map { $0.location != nil } == [true, true, true, true, true, false, false])
        let left = DriveError.outcomeUnknown(because: .cancelled)
        #expect(results.suffix(2).allSatisfy { $0.error == left }, "it was on its way: it may have arrived")
    }

    @Test("the stream gives the same events, then ends; without a key every file is told")
    func stream() async throws {
        let world = DriveWorld()
        var names: [String] = []
        for await event in world.service.uploading([try world.file("a"), try world.file("b")], to: world.account) {
            if case .file(let result) = event { names.append(result.name) }
        }
        #expect(names == ["a", "b"])
        let keyless = DriveWorld(keypair: nil)
        var errors: [DriveError?] = []
        for await event in keyless.service.uploading([try keyless.file("a")], to: keyless.account) {
            if case .file(let result) = event { errors.append(result.error) }
        }
        #expect(errors == [.noKeypair] && keyless.client.requests.isEmpty)
    }

    @Test("an edit sends the content, its hash signed, and the address as it is signed elsewhere")
    func edit() async throws {
        let vector = Vectors.all.signed_messages["edit_legacy"]!
        let world = DriveWorld(["edit": [.json(#"{"finalized_location":"\#(vector.url_field!)"}"#)]])
        let location = try #require(FileLocation(vector.url_field!))
        let file = try world.file("other name.txt", Data(vector.new_content_utf8!.utf8))
        #expect(try await world.service.editFile(location, with: file) == vector.url_field)
        let request = try #require(world.requests("edit").first)
        let boundary = try #require(request.headers["Content-Type"]?.split(separator: "boundary=").last)
        let parts = request.wire.components(separatedBy: "--\(boundary)")
        let names = parts.compactMap { $0.split(separator: "name=\"").dropFirst().first?.split(separator: "\"").first }
        #expect(names == ["file", "message", "signer", "storage_account", "url"])
        #expect(parts[1].contains("filename=\"hello.txt\"") && parts[2].contains(vector.signature_base58))
        #expect(parts[5].contains("\r\n\r\n\(vector.url_field!)\r\n"))
    }

    @Test("an edit whose answer is about another file is not done, and leaves what is saved as it was")
    func editOfAnother() async throws {
        let list = #"{"files":[{"file_name":"a b","size":100}]}"#
        let other = #"{"finalized_location":"\#(DriveWorld.files)/\#(Vectors.account)/other"}"#
        // The same address, with more of its letters encoded.
        let same = #"{"finalized_location":"\#(DriveWorld.files)/\#(Vectors.account)/%61%20b"}"#
        let world = DriveWorld(["list-objects-and-sizes": [.json(list)], "edit": [.json(other), .json(same)]])
        _ = try await world.service.contents(of: world.account).load()
        let file = try world.file("new")
        func saved() async throws -> [UInt64]? {
            try await world.service.contents(of: world.account).saved()?.value.files.map(\.size)
        }
        let error = await failure { () async throws(DriveError) in
            try await world.service.editFile(world.location("a b"), with: file)
        }
        guard case .outcomeUnknown(because: .invalidData)? = error else {
            Issue.record("is \(String(describing: error))")
            return
        }
        #expect(try await saved() == [100])
        #expect(try await world.service.editFile(world.location("a b"), with: file) == world.location("a b").text)
        #expect(try await saved() == [7])
    }

    @Test("an edit that failed on the server is told in its words")
    func editRefused() async throws {
        let world = DriveWorld(["edit": [.json(#"{"finalized_location":"x","error":"immutable"}"#)]])
        let file = try world.file("a")
        let error = await failure { () async throws(DriveError) in
            try await world.service.editFile(world.location("a"), with: file)
        }
        #expect(error == .refused(DriveRefusal(status: 200, words: "immutable")))
    }
}
