import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

private struct Row: Codable, Sendable, Equatable {
    var id: String
    var title: String
    var likes: [String] = []
    var count = 0
}

/// A change of rows that breaks one promise, or none.
private struct RowChange: PendingChange {
    enum Kind: Codable, Sendable {
        case create(title: String)
        case rename(title: String)
        case like(by: String)
        case move(to: Int)
        case count
        case delete
    }

    enum Flaw: String, Codable, Sendable {
        case draws, throwsLate, forgetsID, mergesWrongly, cancelsRename, losesTarget, losesBody, renamesOthers,
            mergesAway
        /// No flaw: an encoder writes the fields of JSON in any order.
        case shuffles
    }

    /// The requests so far whose fields come in any order.
    private static let shuffled = Locked(0)

    struct Missing: Error {}

    var id: String
    var kind: Kind
    var flaw: Flaw?
    /// Beside the target, for `forgetsID`.
    var address: String
    var note = ""

    private enum CodingKeys: String, CodingKey { case id, kind, flaw, address }

    init(_ kind: Kind, _ flaw: Flaw? = nil, of id: String = "draft-0001") {
        (self.id, self.kind, self.flaw, address) = (id, kind, flaw, "/rows/\(id)")
        if flaw == .losesBody { note = "not encoded" }
    }

    var target: String { flaw == .losesTarget ? UUID().uuidString : id }

    func apply(to rows: inout [Row]) throws {
        let place = rows.firstIndex { $0.id == id }
        if case .create(let title) = kind {
            let row = Row(id: flaw == .draws ? UUID().uuidString : id, title: title)
            if let place { rows[place] = row } else { rows.append(row) }
            return
        }
        if flaw == .throwsLate { rows.insert(Row(id: "half", title: "half"), at: 0) }
        guard let place else { throw Missing() }
        if flaw == .throwsLate { rows.removeFirst() }
        switch kind {
        case .create: break
        case .rename(let title): rows[place].title = title
        case .like(let user): if !rows[place].likes.contains(user) { rows[place].likes.append(user) }
        case .move(let index): rows.insert(rows.remove(at: place), at: min(index, rows.count))
        case .count: rows[place].count += 1
        case .delete: rows.remove(at: place)
        }
    }

    func request(version: String?) throws -> HTTPRequest {
        let url = try #require(URL(string: "https://example.org\(address)"))
        let turn = Self.shuffled.withLock { turn in
            turn += 1
            return turn
        }
        let json = turn % 4 == 0 ? #"{"title": "Milk", "count": 1}"# : #"{"count": 1, "title": "Milk"}"#
        return HTTPRequest("PUT", url, body: .bytes(Data((flaw == .shuffles ? json : note).utf8)))
    }

    func replacingIDs(_ real: (String) -> String) -> RowChange {
        var change = self
        change.id = real(id)
        if flaw != .forgetsID { change.address = "/rows/\(real(id))" }
        if flaw == .renamesOthers { change.address += "/" }
        return change
    }

    func coalesced(with later: RowChange) -> CoalescedChange<RowChange> {
        switch (kind, later.kind) {
        case (.create, .delete): .nothing
        case (.create, .rename(let title)):
            .merged(RowChange(.create(title: flaw == .mergesWrongly ? "" : title), flaw, of: id))
        case (.rename, .rename): flaw == .mergesAway ? .merged(RowChange(later.kind, of: "other")) : .merged(later)
        case (.rename, .delete): flaw == .cancelsRename ? .nothing : .merged(later)
        default: .separate
        }
    }
}

@Suite("ChangeContract")
struct ChangeContractTests {
    private static let bread = Row(id: "7", title: "Bread")

    /// A user's changes of a new row and of an old one.
    private static func contract(_ flaw: RowChange.Flaw? = nil, also more: [RowChange] = []) -> ChangeContract<
        RowChange
    > {
        let new: [RowChange] = [
            RowChange(.create(title: "Milk"), flaw), RowChange(.rename(title: "Oat milk"), flaw),
            RowChange(.like(by: "ana"), flaw), RowChange(.delete, flaw),
        ]
        let old: [RowChange] = [
            RowChange(.rename(title: "Rye"), flaw, of: "7"), RowChange(.rename(title: "Rye bread"), flaw, of: "7"),
        ]
        return ChangeContract(
            changes: new + old + more + [RowChange(.delete, flaw, of: "7")],
            values: [[bread], [Row(id: "8", title: "Tea"), bread]],
            empty: [])
    }

    /// The violations of all checks, by the promise.
    private static func violations(_ contract: ChangeContract<RowChange>) throws -> [String: String] {
        var found: [String: String] = [:]
        for check in contract.checks {
            do { try check.run() } catch let violation as ContractViolation {
                #expect(violation.promise == check.name)
                found[check.name] = violation.detail
            }
        }
        return found
    }

    @Test("Changes that keep every promise pass every check")
    func good() throws {
        let contract = Self.contract()
        #expect(try Self.violations(contract).isEmpty)
        #expect(Set(contract.checks.map(\.name)).count == contract.checks.count && contract.checks.count == 9)
        try contract.run()
        #expect(try Self.violations(Self.contract(.shuffles)).isEmpty)
    }

    @Test("Each broken promise fails the check that tells it, with what was wrong")
    func broken() throws {
        func expect(_ contract: ChangeContract<RowChange>, fails promise: String, _ detail: String) throws {
            let found = try Self.violations(contract)
            #expect(found[promise]?.contains(detail) == true, "\(found)")
            #expect(throws: ContractViolation.self) { try contract.run() }
        }
        try expect(
            Self.contract(also: [RowChange(.count, of: "7")]), fails: "applied twice, a change is applied once",
            "count: 2")
        try expect(
            Self.contract(.draws), fails: "`apply` is deterministic: it reads no clock, and draws nothing",
            "made two values of")
        try expect(Self.contract(.throwsLate), fails: "a change that throws leaves the value as it was", "half")
        try expect(
            Self.contract(.forgetsID), fails: "`replacingIDs` replaces each occurrence of an id",
            "still names draft-0001")
        try expect(
            Self.contract(.renamesOthers), fails: "`replacingIDs` changes nothing where no id has another",
            "/rows/draft-0001/\"")
        let merging = "one change in place of two does what the two did"
        try expect(Self.contract(.mergesWrongly), fails: merging, "title: \"\"")
        try expect(Self.contract(.cancelsRename), fails: merging, "nothing in their place")
        try expect(Self.contract(.mergesAway), fails: merging, "their one change of other")
        try expect(Self.contract(.losesTarget), fails: "encoded and decoded, a change is the same", "had the target")
        try expect(Self.contract(.losesBody), fails: "encoded and decoded, a change is the same", "sends another body")
    }

    @Test("Only the check of the broken promise fails")
    func apart() throws {
        #expect(try Self.violations(Self.contract(.throwsLate)).count == 1)
        #expect(try Self.violations(Self.contract(.forgetsID)).count == 1)
        #expect(try Self.violations(Self.contract(.mergesWrongly)).count == 1)
        #expect(try Self.violations(Self.contract(.losesBody)).count == 1)
    }

    @Test("Two moves to places by number fail, because a base may show one of them already")
    func moves() throws {
        let rows = ["1", "2", "3", "4"].map { Row(id: $0, title: $0) }
        let contract = ChangeContract(
            changes: [RowChange(.move(to: 2), of: "1"), RowChange(.move(to: 3), of: "2")], values: [rows], empty: [])
        let found = try Self.violations(contract)
        #expect(
            Array(found.keys) == ["changes replayed over a value that shows some of them already make the same value"])
        #expect(found.values.first?.contains("after the first") == true)
    }

    @Test("A change that changes none of the values is no proof")
    func vacuous() throws {
        let contract = ChangeContract(changes: [RowChange(.rename(title: "Tea"))], values: [[Self.bread]], empty: [])
        #expect(try Self.violations(contract).keys.contains("each change changes at least one of the values"))
        let none = ChangeContract<RowChange>(changes: [], values: [[Self.bread]], empty: [])
        #expect(
            try Self.violations(none) == [
                "each change changes at least one of the values": "there are no changes: give at least one of each kind"
            ])
    }

    @Test("A server that keeps the app's ids asks for no replacing")
    func ownIDs() throws {
        let change = RowChange(.create(title: "Milk"), .forgetsID)
        try ChangeContract(changes: [change], values: [], empty: [], hasServerIDs: false).run()
        #expect(throws: ContractViolation.self) { try ChangeContract(changes: [change], values: [], empty: []).run() }
    }
}
