import AquiferFoundation

#if canImport(FoundationEssentials)
    // The standard library's own forms, as FoundationEssentials uses them. The public names are in full Foundation.
    @_spi(_Unicode) import Swift
#endif

extension String {
    /// The text with each accent apart from its letter (Unicode's form NFD).
    package var decomposed: String {
        #if canImport(FoundationEssentials)
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: _nfd)
            return String(scalars)
        #else
            return decomposedStringWithCanonicalMapping
        #endif
    }

    /// The text with each accent in one character with its letter, if there is such a character (Unicode's form NFC).
    package var composed: String {
        #if canImport(FoundationEssentials)
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: _nfc)
            return String(scalars)
        #else
            return precomposedStringWithCanonicalMapping
        #endif
    }
}
