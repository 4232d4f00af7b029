import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import App

@Suite("The events of the engine, for the inspector", .timeLimit(.minutes(10)))
struct EventLogTests {
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    private let log: EventLog

    init() { log = EventLog(now: date.read) }

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
