// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declarations of the module that its files that call the system use. See Scripts/check-apple.

extension String {
    var folder: String { self }
}

enum Signals {
    static var areHandled: Bool { false }
}
