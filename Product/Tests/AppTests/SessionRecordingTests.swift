import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import App

@MainActor
@Suite("A recorded session", .timeLimit(.minutes(10)))
struct SessionRecordingTests {
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    private let log: EventLog
    private let recording: SessionRecording

    init() {
        log = EventLog(now: date.read)
        recording = SessionRecording(log, now: date.read)
    }

    private func feed(_ tab: String = "a") -> ScreenAddress { ScreenAddress(name: "feed", tab: tab, subject: "") }

    @Test("Nothing is kept before it is asked for, nor after")
    func asked() {
        recording.note("{}", at: feed())
        #expect(recording.steps.isEmpty)
        recording.start()
        recording.note("{\"a\":1}", at: feed())
        recording.stop()
        recording.note("{\"a\":2}", at: feed())
        #expect(recording.steps.map(\.state) == ["{\"a\":1}"])
        recording.discard()
        #expect(recording.steps.isEmpty && recording.step(1) == nil)
    }

    @Test("A step has the states of its own tab at that moment, and a state that is sent again is no step")
    func steps() throws {
        recording.start()
        let cards = ScreenAddress(name: "cards", tab: "a", subject: "")
        recording.note("f1", at: feed())
        recording.note("f1", at: feed())
        recording.note("other", at: feed("b"))
        recording.note("c1", at: cards)
        recording.note("f2", at: feed())
        #expect(recording.steps.map(\.state) == ["f1", "other", "c1", "f2"])
        let third = try #require(recording.step(3))
        #expect(recording.state(of: "feed", "", at: third) == "f1")
        #expect(recording.state(of: "cards", "", at: third) == "c1")
        #expect(recording.state(of: "cards", "", at: try #require(recording.step(1))) == nil)
        #expect(recording.state(of: "feed", "", at: try #require(recording.step(2))) == "other")
        #expect(recording.step(0) == nil && recording.step(5) == nil)
    }

    @Test(
        "The screens of a replay do nothing, whatever they are told", arguments: ["appear", "refresh", "dismissError"])
    func nothing(intent: String) async {
        let world = AppWorld()
        let answer = await world.request(
            "POST", "/api/screens/feed/intents?tab=replay-1", #"{"intent":"\#(intent)"}"#)
        #expect(answer.status == 409)
    }

    @Test("A step of any number can be asked for", arguments: [Int.min, -1, 0, 2, Int.max])
    func anyNumber(number: Int) {
        recording.start()
        recording.note("f1", at: feed())
        #expect(recording.step(number) == nil)
    }

    @Test("A recording that is full ends itself, and keeps what it has")
    func full() {
        recording.start()
        let large = String(repeating: "x", count: 5 << 20)
        for number in 0..<5 { recording.note("\(number)\(large)", at: feed()) }
        #expect(recording.steps.count == 3 && recording.isFull && !recording.isRecording)
        recording.start()
        for number in 0..<1_005 { recording.note("\(number)", at: feed()) }
        #expect(recording.steps.count == SessionRecording.mostSteps && recording.isFull)
    }

    @Test("A step knows the last event before it")
    func events() {
        recording.start()
        recording.note("1", at: feed())
        log.note(.asked(KeyClass(of: "feed:x")))
        recording.note("2", at: feed())
        #expect(recording.steps.map(\.lastEvent) == [0, 1])
    }

    @Test("The log keeps the last 200 events, with numbers that go on")
    func lastEvents() {
        for _ in 0..<250 { log.note(.asked(KeyClass(of: "feed:x"))) }
        #expect(log.lines.count == EventLog.most && log.lines.first?.id == 250)
        log.clear()
        #expect(log.lines.isEmpty)
        log.note(.asked(KeyClass(of: "feed:x")))
        #expect(log.lines.map(\.id) == [251])
    }

    @Test("Each event has a sentence in each language", arguments: [Language.english, .brazilianPortuguese])
    func words(language: Language) {
        let feed = KeyClass(of: "feed:x")
        var events: [AquiferEvent] = [
            .asked(feed), .answered(feed, milliseconds: 3, bytes: 9, trouble: nil),
            .answered(feed, milliseconds: 3, bytes: 0, trouble: nil), .saved(feed, milliseconds: 1, bytes: 9),
            .stoodIn(feed, age: .seconds(90), trouble: .offline), .evicted(feed, bytes: 9), .queued(feed, bytes: 9),
            .sent(feed, milliseconds: 3, bytes: 9), .refused(feed, milliseconds: 3, status: 422),
            .refused(feed, milliseconds: 3, status: nil),
        ]
        events += RemoteTrouble.allCases.map { .answered(feed, milliseconds: 3, bytes: 0, trouble: $0) }
        for cause in UpdateCause.allCases {
            events += [.updated(feed, cause: cause, age: nil), .updated(feed, cause: cause, age: .seconds(90))]
        }
        for event in events {
            let words = EventLog.Line(id: 1, date: date.now, event: event).words(in: language)
            #expect(!words.contains("event.") && !words.contains("{"), "\(words)")
        }
    }
}
