import App

/// The address of the pages.
struct PagesDocument: Encodable {
    let address: String
    /// The address of the metrics, if they have a port of their own.
    @OrNull var metrics: String?
}

/// A reference remote, to be given to `--remote`.
struct RemoteDocument: Encodable {
    let name: String
    let address: String
}
