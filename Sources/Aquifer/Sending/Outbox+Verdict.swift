import AquiferFoundation

extension Outbox.Verdict {
    /// The verdict of an outbox that does not know the app's contract. The status decides, see ``init(status:)``. An
    /// HTML page with a 2xx or 4xx counts as a sign-in page of the network or a page of a proxy, and is ``foreign``.
    ///
    /// A page with 413, 414, 415 or 431 is a refusal: the request is too large or of the wrong type at any time. A
    /// server that answers with HTML needs a judge of the app's own.
    ///
    /// Two answers tell of an earlier attempt. A 409 with the code `idempotency_key_in_use` says that
    /// the server is still busy with it: the item is tried again. A 404 or 410 to a `DELETE` that may have arrived says that it has
    /// done its work: the item is sent.
    ///
    /// - Parameters:
    ///   - head: the head of the answer.
    ///   - body: its body.
    ///   - item: the item that it answers.
    public init(_ head: HTTPResponseHead, _ body: Data = Data(), of item: Outbox.Item? = nil) {
        self.init(status: head.status)
        guard head.isPage else {
            switch head.status {
            case 404, 410: if let item, item.method == .delete, item.mayHaveArrived { self = .sent }
            case 409: if body.namesKeyInUse { self = .again }
            default: break
            }
            return
        }
        switch (self, head.status) {
        case (.refused, 413...415), (.refused, 431), (.again, _): break
        case (.sent, _), (.refused, _), (.foreign, _): self = .foreign
        }
    }

    /// The verdict on a status alone: 2xx is sent; 408, 425, 429 and 5xx are tried again; other 4xx are refused.
    ///
    /// Statuses of an intermediary are ``foreign``: 3xx (the outbox follows no redirect), 407 of a proxy, 511 of a
    /// network that requires a sign-in.
    public init(status: Int) {
        switch status {
        case 200...299: self = .sent
        case 407, 511: self = .foreign
        case 408, 425, 429, 500...599: self = .again
        case 400...499: self = .refused
        default: self = .foreign
        }
    }
}

extension Data {
    /// True if an error has the code `idempotency_key_in_use`, however it is spelled.
    fileprivate var namesKeyInUse: Bool {
        let text = String(decoding: prefix(Outbox.wordsLimit), as: UTF8.self)
        return text.lowercased().filter(\.isLetter).contains("idempotencykeyinuse")
    }
}

extension HTTPResponseHead {
    /// True for an HTML page.
    package var isPage: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }

    /// The text of an answer, from its first bytes; for an HTML page, the text without its tags.
    func words(_ body: Data) -> String {
        let text = String(decoding: body, as: UTF8.self)
        guard isPage else { return text }
        var (words, isInTag) = ("", false)
        for character in text {
            if character == "<" || character == ">" {
                isInTag = character == "<"
                words += " "
            } else if !isInTag {
                words.append(character)
            }
        }
        return words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
