extension String {
    /// The text as one word of a shell's command, in single quotes.
    package var quotedForShell: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
