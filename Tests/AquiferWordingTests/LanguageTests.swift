import Aquifer
import AquiferWording
import Foundation
import Testing

@Suite("Words for users")
struct LanguageTests {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)

    @Test(
        "How long ago is said in the user's language",
        arguments: [
            (300, Language.english, "5 minutes ago"), (300, .brazilianPortuguese, "há 5 minutos"),
            (2 * 86_400, .english, "2 days ago"), (2 * 86_400, .brazilianPortuguese, "há 2 dias"),
            (1, .english, "just now"), (1, .brazilianPortuguese, "agora mesmo"), (-3_600, .english, "in 1 hour"),
        ] as [(TimeInterval, Language, String)])
    func relative(seconds: TimeInterval, language: Language, text: String) {
        #expect(language.relative(Self.now.addingTimeInterval(-seconds), now: Self.now) == text)
    }

    @Test(
        "Weeks, months and years are counted",
        arguments: [
            (6.6, "1 week ago"), (10.4, "1 week ago"), (10.6, "2 weeks ago"), (24.4, "3 weeks ago"),
            (24.6, "1 month ago"), (45, "1 month ago"), (46, "2 months ago"), (349, "11 months ago"),
            (351, "1 year ago"), (575, "1 year ago"), (600, "2 years ago"), (-8, "in 1 week"), (-60, "in 2 months"),
        ])
    func weeks(days: Double, text: String) {
        #expect(Language.english.relative(Self.now.addingTimeInterval(-days * 86_400), now: Self.now) == text)
    }

    @Test("How long ago is said as the system's formatter says it", arguments: Language.builtIn)
    func systemFormatter(language: Language) {
        let ages: [TimeInterval] = [
            5, 59, 60, 89, 90, 119, 3_000, 3_569, 3_570, 3_600, 5_399, 5_400, 80_000, 84_600, 86_400, 150_000, 172_800,
            500_000, 604_799, 604_800, 5_000_000, 90_000_000, -30, -90, -3_601, -5_400, -172_800,
        ]
        for age in ages {
            let date = Self.now.addingTimeInterval(-age)
            let theirs = Date.AnchoredRelativeFormatStyle(anchor: date, locale: language.locale).format(Self.now)
            #expect(language.relative(date, now: Self.now) == theirs, "\(age) s")
        }
    }

    @Test(
        "Ages are said for any two moments",
        arguments: [
            -1e300, -1e18, -62_135_769_600, 0, 253_402_300_799, 315_537_897_599_999, 1e18, 1e300, .infinity, .nan,
        ])
    func ages(seconds: Double) {
        for language in Language.builtIn {
            for now in [0, 1e12, -1e12, 1e300] {
                let text = language.relative(
                    Date(timeIntervalSince1970: seconds), now: Date(timeIntervalSince1970: now))
                #expect(!text.isEmpty)
            }
        }
    }

    @Test(
        "Any Portuguese is Brazilian, everything else English",
        arguments: [
            ("pt-BR", Language.brazilianPortuguese), ("pt", .brazilianPortuguese), ("PT-PT", .brazilianPortuguese),
            ("en-GB", .english), ("de", .english), ("", .english),
        ])
    func tags(tag: String, language: Language) {
        #expect(Language.best(for: tag) == language)
    }

    @Test(
        "Every error has a message in each language, and none names what was in an answer", arguments: Language.builtIn
    )
    func messages(language: Language) {
        let errors: [LoadError] = [
            .connectivity(TransportError(.timedOut, "secret")), .invalidData(.body("secret")),
            .store(.notAStore(path: "secret"), after: .connectivity),
        ]
        let messages = errors.map { $0.message(in: language) }
        #expect(Set(messages).count == errors.count)
        for message in messages { #expect(!message.isEmpty && !message.contains("secret")) }
        #expect(LoadError.cancelled.message(in: language).isEmpty)
    }

    @Test(
        "Beside what a screen shows, a failure says nothing of what is saved, and ends with what it is",
        arguments: Language.builtIn)
    func besideValue(language: Language) {
        let kinds: [TransportError.Kind] = [.offline, .cannotConnect, .insecure, .timedOut, .interrupted]
        let errors = kinds.map { LoadError.connectivity(TransportError($0)) } + [.invalidData(.status(503))]
        for error in errors {
            for message in [error.moreMessage(in: language), error.refreshMessage(in: language)] {
                #expect(!message.lowercased().contains(language == .english ? "saved" : "salv"), "\(message)")
                #expect(message.hasSuffix(error.trouble?.message(in: language) ?? "{"))
            }
        }
        let full = LoadError.store(.full(path: "secret"), after: .connectivity)
        #expect(
            full.moreMessage(in: language).hasSuffix(".")
                && full.moreMessage(in: language) != full.message(in: language))
        let ended = LoadError.store(.ended(scope: "user/42"), after: .connectivity)
        #expect(ended.moreMessage(in: language) == ended.message(in: language))
        #expect(LoadError.cancelled.moreMessage(in: language).isEmpty)
    }

    @Test("Every failed download has a message too", arguments: Language.builtIn)
    func downloadMessages(language: Language) {
        let errors: [DownloadError] = [
            .connectivity(TransportError(.timedOut, "secret")), .invalidData(.body("secret")),
            .store(.full(path: "secret")), .store(.notAStore(path: "secret")),
        ]
        let messages = errors.map { $0.message(in: language) }
        #expect(Set(messages).count == errors.count)
        for message in messages { #expect(!message.isEmpty && !message.contains("secret")) }
        #expect(DownloadError.cancelled.message(in: language).isEmpty)
    }

    @Test("A saved copy that stands in for the latest says how old it is; the latest says nothing")
    func notices() {
        let savedAt = Self.now.addingTimeInterval(-2 * 86_400)
        func notice(_ source: LoadSource) -> String? { source.notice(in: .english, now: Self.now) }
        #expect(
            notice(.cache(savedAt: savedAt, because: .connectivity(TransportError(.offline))))
                == "You’re offline. Saved 2 days ago.")
        #expect(
            notice(.cache(savedAt: savedAt, because: .invalidData(.status(404))))?.contains("Saved 2 days ago") == true)
        #expect(notice(.cache(savedAt: savedAt, because: nil)) == nil)
        #expect(notice(.remote) == nil)
    }

    @Test(
        "Only a machine without a network is told to be offline; each other trouble is named, with a copy and without",
        arguments: [
            (.connectivity(TransportError(.offline)), .offline, "You’re offline"),
            (.connectivity(TransportError(.cannotConnect)), .unreachable, "The server can’t be reached"),
            (.connectivity(TransportError(.cannotResolve)), .unreachable, "The server can’t be reached"),
            (.connectivity(TransportError(.insecure)), .insecure, "A secure connection to the server couldn’t be made"),
            (.connectivity(TransportError(.timedOut)), .timedOut, "The server took too long to answer"),
            (.connectivity(TransportError(.interrupted)), .noAnswer, "The server’s answer didn’t arrive"),
            (.invalidData(.status(503)), .serverFailed, "The server has a problem"),
            (.invalidData(.status(401)), .denied, "You don’t have access to this on the server"),
            (.invalidData(.status(403)), .denied, "You don’t have access to this on the server"),
            (.invalidData(.status(404)), .missing, "This isn’t on the server"),
            (.invalidData(.status(410)), .missing, "This isn’t on the server"),
            (.invalidData(.status(400)), .notUnderstood, "The server’s answer couldn’t be understood"),
            (.invalidData(.body("no")), .notUnderstood, "The server’s answer couldn’t be understood"),
            (
                .invalidData(.unusable(TransportError(.bodyTooLarge))), .notUnderstood,
                "The server’s answer couldn’t be understood"
            ),
        ] as [(LoadError, RemoteTrouble, String)])
    func troubles(error: LoadError, trouble: RemoteTrouble, words: String) {
        #expect(error.trouble == trouble)
        let copy = LoadSource.cache(savedAt: Self.now.addingTimeInterval(-3_600), because: error)
        let told = trouble == .notUnderstood ? "Couldn’t refresh" : words
        #expect(copy.notice(in: .english, now: Self.now) == "\(told). Saved 1 hour ago.")
        #expect(error.message(in: .english).hasPrefix(words))
        for language in Language.builtIn {
            #expect(trouble.message(in: language).hasSuffix("."))
            #expect(!(copy.notice(in: language, now: Self.now) ?? "{").contains("{"))
        }
    }

    @Test(
        "Sizes are in units of 1024, in the signs of the language",
        arguments: [
            (0, "0 B", "0 B"), (1_023, "1023 B", "1023 B"), (1_024, "1 KB", "1 KB"), (6_880, "6.7 KB", "6,7 KB"),
            (14_000, "13.7 KB", "13,7 KB"), (1_048_525, "1 MB", "1 MB"), (1 << 40, "1 TB", "1 TB"),
            (.max, "16777216 TB", "16777216 TB"),
        ] as [(UInt64, String, String)])
    func sizes(bytes: UInt64, english: String, portuguese: String) {
        #expect(Language.english.size(bytes) == english.replacing(" ", with: "\u{a0}"))
        #expect(Language.brazilianPortuguese.size(bytes) == portuguese.replacing(" ", with: "\u{a0}"))
    }

    @Test("A copy that is dated in the future has no age: the clock is wrong", arguments: Language.builtIn)
    func datedInTheFuture(language: Language) {
        func notice(_ seconds: TimeInterval) -> String? {
            LoadSource.cache(
                savedAt: Self.now.addingTimeInterval(seconds), because: .connectivity(TransportError(.offline))
            ).notice(in: language, now: Self.now)
        }
        let offline = RemoteTrouble.offline.message(in: language)
        #expect(notice(86_400) == language.text("notice.early", ["trouble": offline]))
        #expect(notice(4) == notice(-4))
    }
}
