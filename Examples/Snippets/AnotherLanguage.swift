import Aquifer
import AquiferWording
import Foundation
import Testing

@Suite("The snippets of AquiferWording")
struct AnotherLanguageTests {
    @Test("An app adds a language with a plural rule of its own, and a test of its own finds what it lacks")
    func polish() {
        let polish = PluralRule { count in
            if count == 1 { return .one }
            return (2...4).contains(count % 10) && !(12...14).contains(count % 100) ? .few : .many
        }
        let language = Language(
            tag: "pl", plural: polish,
            texts: [
                "load.offline": "Brak połączenia i zapisanej kopii. Sprawdź połączenie i spróbuj ponownie.",
                "time.past.day": ["one": "{count} dzień temu", "few": "{count} dni temu", "many": "{count} dni temu"],
            ])
        #expect(LoadError.connectivity(.init(.offline)).message(in: language).hasPrefix("Brak"))
        let now = Date(timeIntervalSince1970: 1_780_000_000)
        #expect(language.relative(now - 86_400, now: now) == "1 dzień temu")
        #expect(language.relative(now - 5 * 86_400, now: now) == "5 dni temu")
        #expect(language.relative(now - 3_600, now: now) == "1 hour ago")

        let faults = language.faults(under: ["load.", "time."])
        #expect(faults.contains(.missing(key: "load.serverFailed")))
        #expect(faults.contains(.missingForm(key: "time.past.day", form: "other")))
    }
}
