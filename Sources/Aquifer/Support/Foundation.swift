// The one import of Foundation in this module. It is exported, because the engine's interface is written with
// Foundation's `URL`, `Data` and `Date`, and so that two hundred files do not repeat these lines.
//
// On Linux it is FoundationEssentials: full Foundation adds 45 MB to a static program (ICU, formatters, user defaults)
// and doubles the time that a program takes to start. One `import Foundation` in any module that a program links brings
// all of that in, so only a file named `…+Foundation.swift` may have one, in a module whose purpose needs it.
// `Scripts/architecture.py` checks this. On Apple's systems Foundation is one library, and part of the system.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
