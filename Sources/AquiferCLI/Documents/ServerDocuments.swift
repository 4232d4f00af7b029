/// The address of the pages.
struct PagesDocument: Encodable {
    let address: String
}

/// A reference remote, to be given to `--remote`.
struct RemoteDocument: Encodable {
    let name: String
    let address: String
}
