import AquiferFoundation

extension Date {
    /// The date of a text such as `2026-01-02T03:04:05Z`, with `Z`, `+00:00` or `+0000`, and with or without fractions of
    /// a second; `nil` if it is none.
    ///
    /// Since Swift 6.2 Foundation's style reads both. The one on older Apple systems reads fractions only when asked to,
    /// and then nothing else.
    package init?(rfc3339 text: String) {
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            // A text that no style reads is none.
            if let date = try? style.parse(text) {
                self = date
                return
            }
        }
        return nil
    }
}
