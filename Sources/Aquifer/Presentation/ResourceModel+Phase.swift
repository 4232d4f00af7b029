extension ResourceModel {
    /// The state of the screen.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing has been loaded yet, or what was is lost: ``ResourceModel/appear()`` loads it. What this user has changed may be shown.
        case idle
        /// The latest is being loaded.
        case loading
        /// A value is shown, and there is no error.
        case loaded
        /// The last load failed: either the user has not dismissed the error yet, or there is no value to show.
        case failed
    }

    /// The state of the screen in one word.
    public var phase: Phase {
        if isLoading { return .loading }
        if error != nil { return .failed }
        if value != nil, hasFailed || source != Self.changesAlone { return .loaded }
        return hasFailed ? .failed : .idle
    }
}
