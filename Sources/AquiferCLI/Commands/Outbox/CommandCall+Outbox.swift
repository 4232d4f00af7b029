import App
import Aquifer

extension CommandCall {
    /// Works on the outbox. Its notices are reported at the end.
    func outbox(
        _ work: (Outbox) async throws(OutboxError) -> ExitStatus
    ) async throws(CommandError) -> ExitStatus {
        let outbox = services().outbox
        defer { for notice in outbox.notices { console.note("\(notice)") } }
        do throws(OutboxError) { return try await work(outbox) } catch { throw CommandError(error) }
    }

    /// The first word as the ID of an item.
    func itemID() throws(CommandError) -> Outbox.ID {
        guard let id = Outbox.ID(words[0]) else {
            throw CommandError(
                status: .notFound, message: "\"\(words[0])\" is not the ID of an item; aquifer outbox list shows them")
        }
        return id
    }
}

extension Outbox {
    /// The items that wait, in their order.
    func listed() async throws(OutboxError) -> [Item] {
        do throws(StoreError) { return try await items() } catch { throw .store(error) }
    }
}

extension CommandError {
    /// The error of a failed operation of the outbox.
    init(_ error: OutboxError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchItem:
            self.init(status: .notFound, message: "\(error); aquifer outbox list shows what there is")
        case .damaged: self.init(status: .store, message: "\(error)")
        case .attachment, .unsendable, .notNow: self.init(status: .usage, message: "\(error)")
        }
    }
}
