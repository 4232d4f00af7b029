import AquiferTesting
import AquiferWording
import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("Addresses that a browser loads by itself")
struct SignedAddressTests {
    private let date = ManualDate(Date(timeIntervalSince1970: 1_800_000_000))
    private let clip = "/api/screens/audio/clips/033DBEF9-71F2-56CF-B108-8303FC336188?tab=t"

    private func addresses(_ token: String? = "secret") -> SignedAddresses {
        SignedAddresses(token: token, now: date.read)
    }

    @Test("A signed address opens what it names, with GET and HEAD, and again after a restart with the same token")
    func opens() {
        let signed = addresses().sign(clip)
        #expect(signed.hasPrefix(clip + "&expires="))
        #expect(addresses().admits(ServerRequest("GET", signed)) && addresses().admits(ServerRequest("HEAD", signed)))
        #expect(
            !addresses().admits(ServerRequest("POST", signed))
                && !addresses("other").admits(ServerRequest("GET", signed)))
        #expect(!addresses().admits(ServerRequest("GET", clip)))
    }

    @Test("An address in which anything was changed opens nothing")
    func changed() {
        let signed = addresses().sign(clip)
        let changes = [
            ("033DBEF9", "133DBEF9"), ("tab=t", "tab=u"), ("tab=t", "tab=t&lang=en"), ("tab=t&", ""),
            ("clips/", "clips//"),
            ("expires=18", "expires=19"), ("expires=", "expires=9&expires="), ("signature=", "signature=0"),
        ]
        for (old, new) in changes {
            let other = signed.replacing(old, with: new, maxReplacements: 1)
            #expect(other != signed && !addresses().admits(ServerRequest("GET", other)), "\(old) → \(new)")
        }
        for place in 0..<64 {
            var text = Array(signed)
            let index = text.count - 64 + place
            text[index] = text[index] == "a" ? "b" : "a"
            #expect(!addresses().admits(ServerRequest("GET", String(text))))
        }
    }

    @Test("An address lasts for ten minutes at least and fifteen at most, and a clock that was set back lengthens none")
    func ends() {
        for offset in stride(from: 0.0, to: 600, by: 37) {
            date.advance(by: offset)
            let signed = ServerRequest("GET", addresses().sign(clip))
            date.advance(by: 599)
            #expect(addresses().admits(signed))
            date.advance(by: 301)
            #expect(!addresses().admits(signed))
            date.advance(by: -1800)
            #expect(!addresses().admits(signed))
        }
    }

    @Test("Signed anew, an address has one end and one code; what may not be signed is left as it is")
    func again() {
        let first = addresses().sign(clip)
        date.advance(by: 1200)
        let second = addresses().sign(first)
        #expect(second != first && second.components(separatedBy: "signature=").count == 2)
        #expect(addresses().admits(ServerRequest("GET", second)))
        for address in ["/api/feed", "/api/connection?x=1", "/", "http://evil.example/api/screens/audio/clips/1", ""] {
            #expect(addresses().sign(address) == address)
        }
        #expect(addresses(nil).sign(clip) == clip)
    }

    @Test("The states of an open page are made anew before the addresses in them end")
    @MainActor
    func renewed() async throws {
        let world = AppWorld(token: "secret")
        let clock = ManualClock()
        let address = ScreenAddress(name: "audio", tab: "tab", subject: "")
        let screen = try #require(world.site.hub.session(at: address))
        let sign = SignedAddresses(token: "secret", now: world.date.read).sign
        let states = StateReader(
            screen.states(renewedEvery: SignedAddresses.step, clock: clock) { _ in
                sign("/api/screens/audio/clips/1?tab=tab")
            })
        let first = await states.next()
        world.date.advance(by: SignedAddresses.step / .seconds(1))
        await clock.waitForSleepers()
        clock.advance(by: SignedAddresses.step)
        let second = await states.next()
        #expect(first != nil && second != nil && first != second)
        await world.services.stop()
    }

    @Test("A clip's sound and a file's link are signed in the states; nothing else is opened by a signature")
    @MainActor
    func states() async throws {
        let world = AppWorld(token: "secret")
        let bearer = ["Authorization": "Bearer secret"]
        let screen = try #require(world.site.hub.screen(AudioScreen.self, tab: "tab"))
        await screen.model.appear()
        let sign = SignedAddresses(token: "secret", now: world.date.read).sign
        let state = screen.state(ScreenContext(language: .english, now: world.date.now, sign: sign))
        let sound = try #require(state.clips.first?.audio)
        #expect(await world.request("GET", sound).status == 200)
        let query = try #require(sound.split(separator: "?").last)
        #expect(await world.request("GET", "/api/feed?\(query)").status == 401)
        world.date.advance(by: 900)
        #expect(await world.request("GET", sound).status == 401)
        let body = #"{"address":"\#(sound)"}"#
        #expect(await world.request("POST", "/api/addresses", body).status == 401)
        let answer = try await world.request("POST", "/api/addresses", body, bearer).collectBody()
        let renewed = try JSONDecoder().decode([String: String].self, from: answer)["address"]
        #expect(await world.request("GET", try #require(renewed)).status == 200)
        await world.services.stop()
    }
}
