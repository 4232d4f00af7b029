import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Key pairs")
struct KeypairTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-keys-\(UUID().uuidString)")
    private let secret = Array(hex(Vectors.all.inputs.owner_seed_hex)) + Array(Vectors.owner.publicKey.bytes)

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func file(_ text: String, mode: Int = 0o600) throws -> URL {
        let file = folder.appending(path: "id '\(UUID().uuidString)'.json")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path(percentEncoded: false))
        return file
    }

    private func failure<Value>(of work: () throws(KeypairError) -> Value) -> KeypairError? {
        do throws(KeypairError) {
            _ = try work()
            return nil
        } catch { return error }
    }

    @Test("are made of a seed, of Solana's list of numbers, of base58, as in the vectors")
    func forms() throws {
        let list = "[\(secret.map(String.init).joined(separator: ","))]"
        let spaced = " [ \(secret.map(String.init).joined(separator: " ,\n ")) ]\n"
        for text in [list, spaced, Vectors.all.inputs.owner_secret_key_64_base58 + "\n"] {
            let keypair = try Keypair(text: Data(text.utf8))
            #expect(keypair.publicKey.description == Vectors.all.inputs.owner_pubkey)
            #expect(try Keypair(contentsOf: file(text)) == keypair)
        }
        #expect(Vectors.owner.publicKey.description == Vectors.all.inputs.owner_pubkey)
    }

    @Test("are kept in a file of mode 600, in Solana's form, and read back")
    func write() throws {
        let keypair = try Keypair()
        let file = folder.appending(path: "new.json")
        try keypair.write(to: file)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let numbers = try JSONDecoder().decode([UInt8].self, from: Data(contentsOf: file))
        #expect(numbers.count == 64 && Data(numbers[32...]) == keypair.publicKey.bytes)
        let back = try Keypair(contentsOf: file)
        #expect(back == keypair && back.sign(Data([1])) == keypair.sign(Data([1])))
    }

    @Test("are never written over a file that is there")
    func overwrite() throws {
        let there = try file("something")
        #expect(throws: KeypairError.exists(path: there.path(percentEncoded: false))) {
            try Vectors.owner.write(to: there)
        }
        #expect(try Data(contentsOf: there) == Data("something".utf8))
        #expect(throws: KeypairError.self) { try Vectors.owner.write(to: folder.appending(path: "none/x.json")) }
    }

    @Test(
        "are not read from a file that others may touch, and the command that protects it works",
        arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o777])
    func permissions(mode: Int) throws {
        let open = try file(Vectors.all.inputs.owner_secret_key_64_base58, mode: mode)
        guard case .tooOpen(_, let fix)? = failure(of: { () throws(KeypairError) in try Keypair(contentsOf: open) })
        else {
            Issue.record("it was read")
            return
        }
        #expect(fix == "chmod 600 '\(open.path(percentEncoded: false).replacingOccurrences(of: "'", with: #"'\''"#))'")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: open.path(percentEncoded: false))
        #expect(failure(of: { () throws(KeypairError) in try Keypair(contentsOf: open) }) == nil)
    }

    @Test("say what is wrong with a file, and repeat nothing of it")
    func wrongFiles() throws {
        let numbers = secret.map(String.init)
        var swapped = secret
        swapped[63] ^= 1
        let wrong: [(String, KeypairError)] = [
            ("", .notAKey(reason: "it is empty")),
            (" \n", .notAKey(reason: "it is empty")),
            ("[]", .wrongLength(found: 0)),
            ("[\(numbers.dropLast().joined(separator: ","))]", .wrongLength(found: 63)),
            ("[\(numbers.joined(separator: ",")),1]", .wrongLength(found: 65)),
            ("[\(numbers.prefix(32).joined(separator: ","))]", .wrongLength(found: 32)),
            ("[\(swapped.map(String.init).joined(separator: ","))]", .mismatch),
            ("[1,2,256]", .notAKey(reason: "number 3 of the list is none of 0 to 255")),
            ("[1 2]", .notAKey(reason: "number 1 of the list is none of 0 to 255")),
            ("[1,,2]", .notAKey(reason: "number 2 of the list is missing")),
            ("[1,]", .notAKey(reason: "number 2 of the list is missing")),
            ("[1]2]", .notAKey(reason: "something follows the list")),
            ("[]]", .notAKey(reason: "something follows the list")),
            ("[1,02]", .notAKey(reason: "number 2 of the list begins with a zero")),
            ("[1,2", .notAKey(reason: "the list does not end")),
            ("[1,-2]", .notAKey(reason: "the list holds something else than numbers")),
            ("[1,\"x\"]", .notAKey(reason: "the list holds something else than numbers")),
            ("abc0", .notAKey(reason: "\(Base58Error.wrongLetter("0", at: 4))")),
            (Vectors.all.inputs.owner_pubkey, .wrongLength(found: 32)),
        ]
        for (text, error) in wrong {
            #expect(failure(of: { () throws(KeypairError) in try Keypair(text: Data(text.utf8)) }) == error, "\(text)")
        }
        #expect(
            failure(of: { () throws(KeypairError) in try Keypair(contentsOf: folder.appending(path: "none")) })
                == .missing(path: folder.appending(path: "none").path(percentEncoded: false)))
        let large = try file(String(repeating: "1", count: 5000))
        #expect(
            failure(of: { () throws(KeypairError) in try Keypair(contentsOf: large) })
                == .notAKey(reason: "it is too large for one (\(large.path(percentEncoded: false)))"))
        let pipe = folder.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for place in [folder, pipe] {
            #expect(
                failure(of: { () throws(KeypairError) in try Keypair(contentsOf: place) })
                    == .notAKey(reason: "it is not a file (\(place.path(percentEncoded: false)))"))
        }
        #expect(
            failure(of: { () throws(KeypairError) in try Keypair(seed: Data(count: 31)) }) == .wrongLength(found: 63))
    }

    @Test("an empty file, as a kill once left it, is told as such with what to do")
    func emptyFile() throws {
        let empty = try file("")
        let error = failure { () throws(KeypairError) in try Keypair(contentsOf: empty) }
        #expect("\(error!)".contains("is empty") && "\(error!)".contains("rm '"))
        let taken = failure { () throws(KeypairError) in try Keypair().write(to: empty) }
        #expect("\(taken!)".contains("is empty") && "\(taken!)".contains("rm '"))
        #expect(try Data(contentsOf: empty).isEmpty)
    }

    @Test("are in their place whole or not at all, and leave nothing beside it")
    func whole() throws {
        let (target, own) = (folder.appending(path: "whole.json"), try Keypair())
        try own.write(to: target)
        #expect(try Keypair(contentsOf: target) == own)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(failure { () throws(KeypairError) in try Keypair().write(to: target) } != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
        #expect(try Keypair(contentsOf: target) == own && !before.contains { $0.contains(".new") })
    }

    @Test("never say anything of the secret")
    func silent() throws {
        let keypair = try Keypair(seed: Data(repeating: 0xAB, count: 32))
        var dumped = ""
        dump([keypair], to: &dumped)
        let text = "\(keypair) \(String(reflecting: keypair)) \(dumped) \([keypair]) \(Optional(keypair) as Any)"
        #expect(text.contains(keypair.publicKey.description))
        #expect(!text.contains("171") && !text.lowercased().contains("abab") && !text.contains("SigningKey"))
    }
}
