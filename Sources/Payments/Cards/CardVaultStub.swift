import Aquifer
import Foundation

public enum VaultError: Error, Sendable, Hashable, CustomStringConvertible {
    case failed(reason: String)
    public var description: String { "" }
    public func message(in language: Language) -> String { "" }
}
public actor CardVault {
    private var all: [Card] = []
    public init(folder: URL, keys: URL) {}
    public func cards() async throws(VaultError) -> [CardSummary] { all.map(\.summary) }
    public func card(_ id: UUID) async throws(VaultError) -> Card? { all.first { $0.id == id } }
    public func add(_ card: Card) async throws(VaultError) { all.append(card) }
    public func remove(_ id: UUID) async throws(VaultError) -> Bool { all.removeAll { $0.id == id }; return true }
    public func rotateKey() async throws(VaultError) {}
}
