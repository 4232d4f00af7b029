import AquiferFoundation

/// The files of queued requests.
extension Outbox {
    /// The saved part of a request, with copies of its files.
    func message(
        of request: HTTPRequest
    ) async throws(OutboxError) -> (OutboxRecord.Message, AttachmentFolder.Hold?) {
        guard let parts = request.body?.parts else { return (.init(request, parts: nil), nil) }
        if let attachments {
            stems += 1
            let hold = try await attachments.keep(parts, stem: "\(owner.uuidString)-\(stems)")
            return (.init(request, parts: hold.parts), hold)
        }
        var kept: [OutboxRecord.Part] = []
        for part in parts {
            switch part {
            case .bytes(let data):
                kept.append(.bytes(data))
            case .file(let url, let offset, let length):
                let facts: FileFacts
                do throws(MultipartForm.UnusableFile) { facts = try FileFacts(of: url) } catch {
                    throw .attachment(name: error.name, reason: error.reason)
                }
                guard facts.size >= offset, facts.size - offset >= length else {
                    throw .attachment(name: url.lastPathComponent, reason: "is shorter than it should be")
                }
                kept.append(.file(url, offset: offset, length: length, facts))
            }
        }
        return (.init(request, parts: kept), nil)
    }

    /// Names the copies of a message after its item.
    func assign(
        _ hold: inout AttachmentFolder.Hold?, _ message: inout OutboxRecord.Message, to number: UInt64
    ) throws(StoreError) {
        guard var copies = hold else { return }
        // The names are recorded on failure too, because some copies may have been renamed by then.
        defer { (hold, message.parts) = (copies, copies.parts) }
        try attachments?.assign(&copies, to: number)
    }
}
