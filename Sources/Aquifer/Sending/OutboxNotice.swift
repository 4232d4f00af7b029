extension Outbox {
    /// Damage that the outbox has found. The outbox repairs damage by itself where it can.
    public enum Notice: Sendable, Hashable, CustomStringConvertible {
        /// The counter was missing, unreadable, or behind its items. It was set to a new value above all of them.
        case counterMended(items: Int)
        /// The counter gave out the number of an item in the queue. That item is unchanged.
        case numberOccupied(ID)
        /// Some entries of the outbox's store are damaged, and their item numbers are unknown; `entries` is their
        /// count. They may be items, and they are unchanged.
        case unreadable(entries: Int)
        /// The store has lost the items of some files in the outbox's folder; `count` is the number of the files. It is
        /// unknown whether the files were sent. They stay in the folder until someone removes them.
        case attachmentsWithoutItems(count: Int, folder: String)

        /// One line with the damage and a remedy.
        public var description: String {
            switch self {
            case .counterMended(let items):
                "the outbox's counter was damaged, and was set anew"
                    + (items == 0
                        ? "; the outbox has no items" : " from the \(items) item\(items == 1 ? "" : "s") in the outbox")
                    + "; nothing was overwritten. Check the disk"
            case .numberOccupied(let id):
                "the number of item \(id) was given out twice; item \(id) was left as it is, and the new one has"
                    + " another number. Check the disk"
            case .unreadable(let entries):
                "\(entries) entr\(entries == 1 ? "y" : "ies") of the outbox cannot be read any more; items may be missing"
                    + " from the list. Nothing was deleted. Check the disk"
            case .attachmentsWithoutItems(1, let folder):
                "1 file was queued and its item is gone; nobody knows whether it was sent. The file is in \(folder): queue"
                    + " it again if it was not sent, then delete it there"
            case .attachmentsWithoutItems(let count, let folder):
                "\(count) files were queued and their items are gone; nobody knows whether they were sent. The files are in"
                    + " \(folder): queue again what was not sent, then delete them there"
            }
        }
    }
}

/// The reason why an operation of the outbox failed.
public enum OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store failed: nothing new was queued, and the items in the queue stay there.
    case store(StoreError)
    /// A file of the request is missing, shorter than it should be, or cannot be read.
    case attachment(name: String, reason: String)
    /// No client can send the request.
    case unsendable(String)
    /// There is no such item, for the given reason.
    case noSuchItem(Outbox.ID, Outbox.Absence = .gone)
    /// The item's entry in the store cannot be read. It stays until it is discarded.
    case damaged(Outbox.ID, reason: String)
    /// The item's state does not allow the operation.
    case notNow(Outbox.ID, reason: String)

    /// One line with the reason.
    public var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .damaged(let id, let reason): "item \(id) of the outbox is damaged (\(reason)); it can only be discarded"
        case .attachment(let name, let reason): "the attachment \(name) \(reason)"
        case .unsendable(let reason): "it cannot be sent: \(reason)"
        case .noSuchItem(let id, .gone): "there is no item \(id) in the outbox any more: it was sent or discarded"
        case .noSuchItem(let id, .never): "there has never been an item \(id) in the outbox"
        case .noSuchItem(let id, .unknown):
            "there is no item \(id) in the outbox; whether there was one cannot be told, for the outbox was damaged"
        case .notNow(let id, let reason): "item \(id) \(reason)"
        }
    }
}
