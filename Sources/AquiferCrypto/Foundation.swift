// The one import of Foundation in this module; `Sources/Aquifer/Support/Foundation.swift` says why it is written so.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
