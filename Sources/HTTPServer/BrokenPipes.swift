import Foundation

/// Writing to a connection that its reader has closed.
enum BrokenPipes {
    /// Makes such a write an error in this process, instead of a signal that ends it. A program that has its own handler
    /// of the signal keeps it.
    static let ignore: Void = {
        var action = sigaction()
        guard sigaction(SIGPIPE, nil, &action) == 0 else { return }
        #if canImport(Darwin)
            let isDefault = action.__sigaction_u.__sa_handler == nil
        #else
            let isDefault = action.__sigaction_handler.sa_handler == nil
        #endif
        if isDefault { signal(SIGPIPE, SIG_IGN) }
    }()
}
