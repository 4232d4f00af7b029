import Aquifer
import AquiferTesting
import Foundation
import Testing

/// A contract that nothing can fail promises nothing: stores that break one promise each.
@Suite("The store contract", .timeLimit(.minutes(10)))
struct BrokenStoreTests {
    @Test(
        "catches a store that breaks a promise",
        arguments: [
            (.tornRead, "readers see the old or the new entry whole, never a mix"),
            (.lostUpdate, "of many updates at once none is lost"),
            (.swallowsFailure, "an insert that fails says so, twice alike, and leaves the entry before"),
            (.swallowsFailure, "a delete that fails says so, twice alike, and leaves the entry"),
            (.forgetsOverride, "insert overrides the entry before"),
            (.deletesOnRetrieve, "retrieve delivers the same twice: it has no side effects"),
            (.deletesOnFailure, "an insert that fails says so, twice alike, and leaves the entry before"),
            (.equalStrings, "any string is a key, and each is its own"),
            (.emptyKey, "the empty key is refused"),
            (.roundsDates, "an entry comes back exactly: bytes, date to the bit, validators, kind, origin"),
            (.trustsDamage, "a damaged entry is an error, the same twice, and never a value"),
            (.saysMissing, "an entry is never said to be missing, whatever of it is damaged"),
            (.hidesDamage, "contents name every entry, whole or damaged"),
            (.removesNothing, "remove leaves nothing of a damaged entry, and the others alone"),
            (.removesWhatIsGood, "remove leaves what was stored in a damaged entry's place"),
            (.prefixesOfCharacters, "contents of a prefix are the entries whose keys begin with its bytes"),
            (.patternsForPrefixes, "deleteAll deletes the entries whose keys begin with its bytes, and no other"),
            (.keepsAllForTheEmptyPrefix, "the empty prefix lists and deletes everything"),
            (.forgetsDamage, "contents of a prefix name its entries, whole or damaged, and no other's"),
            (.keepsDamage, "deleteAll deletes a damaged entry whose key is known, and leaves the others"),
            (.swallowsFailure, "a deleteAll that fails says so, and leaves the entries"),
            (.leavesOutBetweenPages, "the pages of a prefix list its entries, each once, whatever their limit"),
            (.repeatsOnPages, "the pages of a prefix list its entries, each once, whatever their limit"),
            (
                .pagesByPlace,
                "an entry that stays is listed in one page, whatever is stored and deleted between the pages"
            ),
            (.forgetsDamageOnPages, "the pages of a prefix tell the damage that its contents tell"),
            (.saysTooFewBytes, "all entries together have no more bytes than the store says at most"),
            (.tellsNothing, "each change is told before its call returns"),
            (.tellsEarly, "an observer who looks at once finds what it was told of"),
            (.tellsKept, "nothing is told of a call that changes nothing"),
            (.tellsFailures, "nothing is told of a change that failed"),
            (.tellsNoRemoval, "the removal of a damaged entry is told"),
            (.anyOrder, "side effects run in the order in which they were issued"),
        ] as [(BrokenStore.Flaw, String)])
    func catches(flaw: BrokenStore.Flaw, promise: String) async throws {
        let check = try #require(CacheStoreContract.checks.first { $0.name == promise })
        let subject = BrokenStore.subject(flaw)
        #expect(check.applies(to: subject))
        // Two of the flaws show only when two calls meet: the check is run until they do.
        let tries = [.tornRead, .lostUpdate].contains(flaw) ? 50 : 1
        for _ in 0..<tries {
            do { try await check.run(subject) } catch is ContractViolation { return }
        }
        Issue.record("the flaw was not caught")
    }

    @Test(
        "is kept by the store that the broken ones are made from",
        arguments: CacheStoreContract.checks(for: BrokenStore.subject(nil)))
    func theUnbrokenOneKeepsIt(check: CacheStoreContract.Check) async throws {
        try await check.run(BrokenStore.subject(nil))
    }

    @Test("names the promise and what happened instead")
    func saysWhatWasBroken() async throws {
        let check = try #require(CacheStoreContract.checks.first { $0.name == "insert overrides the entry before" })
        do {
            try await check.run(BrokenStore.subject(.forgetsOverride))
            Issue.record("a store that forgets to override passed")
        } catch let violation as ContractViolation {
            #expect(violation.promise == check.name)
            #expect(violation.description.hasPrefix("insert overrides the entry before: "))
        }
    }

    @Test("passes over what cannot be done to a store, and says so")
    func passesOver() throws {
        let subject = CacheStoreContract.Subject(make: { MemoryStore() })
        let left = CacheStoreContract.checks.filter { !$0.applies(to: subject) }
        #expect(left.count == 26)
        #expect(
            CacheStoreContract.checks.allSatisfy {
                $0.applies(to: BrokenStore.subject(nil)) || $0.name.contains("instance")
            })
    }

    @Test("names what it passes over, with the function that each check needs, and lets none of it pass")
    func passedOver() async throws {
        let subject = CacheStoreContract.Subject(make: { MemoryStore() }, corrupt: { _, _ in })
        let left = CacheStoreContract.passedOver(for: subject)
        #expect(left.count + CacheStoreContract.checks(for: subject).count == CacheStoreContract.checks.count)
        #expect(Set(left.map(\.requirement)) == [.reopen, .makeFailing, .damages])
        for check in left {
            let error = await failure(of: { try await check.run(subject) }) as? ContractViolation
            #expect(error?.promise == check.name)
            #expect(error?.detail.contains("no `\(check.requirement?.rawValue ?? "?")`") == true)
        }
    }

    @Test("has a sentence of its own for each promise")
    func namesAreUnique() {
        #expect(Set(CacheStoreContract.checks.map(\.name)).count == CacheStoreContract.checks.count)
    }
}
