import Aquifer
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@testable import App

@Suite("Bytes of remotes under our own address", .timeLimit(.minutes(10)))
struct RelayedTests {
    @Test(
        "Sound keeps its type, and anything that a browser could run is plain bytes",
        arguments: [
            ("audio/mpeg", "audio/mpeg"), ("Audio/X-WAV; codecs=1", "audio/x-wav"),
            ("audio/vnd.wave", "audio/vnd.wave"),
            ("text/html", nil), ("text/javascript", nil), ("image/svg+xml", nil), ("audio/x+xml", nil),
            ("audio/xml", nil),
            ("audio/", nil), ("audio/a b", nil), ("audio/mpeg, text/html", nil), ("text/html; audio/mpeg", nil),
            ("", nil),
            ("video/mp4", nil), ("application/xhtml+xml", nil),
        ] as [(String, String?)])
    func sound(claimed: String, type: String?) {
        #expect(Relayed.mediaType(claimed, for: .sound) == type ?? "application/octet-stream")
        #expect(Relayed.mediaType(claimed, for: .file) == "application/octet-stream")
    }

    @Test("Pictures are made of dots, or plain bytes")
    func pictures() {
        for type in ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"] {
            #expect(Relayed.mediaType(type, for: .picture) == type)
        }
        for type in ["image/svg+xml", "image/svg", "text/html", "audio/mpeg", nil] {
            #expect(Relayed.mediaType(type, for: .picture) == "application/octet-stream")
        }
    }

    @Test(
        "A hostile audio remote's clip cannot run in our name, and is not kept",
        arguments: ["text/html", "text/javascript", "image/svg+xml"])
    @MainActor
    func hostileAudio(type: String) async throws {
        let remotes = try ReferenceAPIs().handler
        let remote = try HTTPServer(ReferenceAPIs.configuration) { request in
            var response = await remotes(request)
            if request.path.contains("/clips/") { response.headers["Content-Type"] = type }
            return response
        }
        let port = remote.port
        let world = AppWorld { $0.remotes[.audio] = URL(string: "http://127.0.0.1:\(port)/audio") }
        let screen = try #require(world.site.hub.screen(AudioScreen.self, tab: "tab"))
        await screen.model.appear()
        let clip = try #require(screen.model.clips.first)
        let target = "/api/screens/audio/clips/\(clip.id)?tab=tab"
        for isAskedToKeep in [false, true] {
            if isAskedToKeep { await screen.model.keep(clip.id) }
            let response = await world.request("GET", target, "", ["Range": "bytes=0-3"])
            #expect(response.status == 206)
            try expectHarmless(response, "application/octet-stream")
            #expect(response.headers["X-Aquifer-Source"] == nil)
        }
        await world.services.stop()
        await remote.stop()
    }

    /// A body without bytes.
    private final class NoBody: HTTPBodySource {
        func next() async throws(TransportError) -> Data? { nil }
        func cancel() {}
    }

    @Test(
        "A field without a value, or with one that a browser could not send back, is not relayed",
        arguments: [("", false), ("\t", false), ("\"a\u{1}b\"", false), ("\"é\"", false), ("\"a b\"", true)])
    func unsoundFields(value: String, isKept: Bool) throws {
        let url = try #require(URL(string: "http://a.example"))
        let head = HTTPResponseHead(status: 200, headers: ["ETag": value, "Last-Modified": "today"], url: url)
        let relayed = ServerResponse(
            relaying: HTTPResponse(head: head, source: NoBody()), as: .sound, keeping: ["ETag", "Last-Modified"])
        #expect(relayed.headers["ETag"] == (isKept ? value : nil))
        #expect(relayed.headers["Last-Modified"] == "today")
    }

    @Test("Pictures, sound and files of good remotes are sandboxed, too")
    @MainActor
    func everyRelay() async throws {
        let world = AppWorld()
        let pictures = try await world.load()
        try expectHarmless(await world.request("GET", pictures[0]), "image/jpeg")
        let screen = try #require(world.site.hub.screen(AudioScreen.self, tab: "tab"))
        await screen.model.appear()
        let clip = try #require(screen.model.clips.first)
        let sound = await world.request("GET", "/api/screens/audio/clips/\(clip.id)?tab=tab")
        #expect(sound.headers["Content-Type"]?.hasPrefix("audio/") == true)
        try expectHarmless(sound, nil)

        let drive = world.site.hub.drive.service
        let account = try await drive.createStorageAccount(name: "photos", size: 1 << 20).account.address
        let file = world.folder.appending(path: "evil.html")
        try Data("<script>alert(1)</script>".utf8).write(to: file)
        _ = try await drive.upload([file], to: account)
        let tab = world.states(DriveAccountScreen.self, showing: "\(account)")
        await world.tell("drive-account?tab=tab&account=\(account)", "appear")
        _ = await tab.state(with: #""name":"evil.html""#)
        let target = "/api/screens/drive-account/files/evil.html?tab=tab&account=\(account)"
        let relayed = await world.request("GET", target)
        #expect(relayed.status == 200 && relayed.headers["Content-Disposition"]?.hasPrefix("attachment") == true)
        try expectHarmless(relayed, "application/octet-stream")
        #expect(try await relayed.collectBody() == Data("<script>alert(1)</script>".utf8))
        await world.services.stop()
    }

    private func expectHarmless(_ response: ServerResponse, _ type: String?) throws {
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("sandbox;") && !policy.contains("allow") && !policy.contains("script-src"))
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        if let type { #expect(response.headers["Content-Type"] == type) }
    }
}
