// Foundation as the libraries use it: they import this module instead.
//
// On Linux it is FoundationEssentials: full Foundation adds 45 MB to a static program (ICU, formatters, user defaults)
// and doubles the time that a program takes to start. One `import Foundation` in any module that a program links brings
// all of that in. A library whose purpose needs full Foundation says so in `Scripts/architecture.py`, which checks this.
// On Apple's systems Foundation is one library, and part of the system.
//
// It is a module so that two hundred files do not repeat these lines. The libraries do not export it to apps: a file that
// sees both FoundationEssentials and Foundation directly has two types `TimeInterval`, which Swift Testing's macros
// refuse.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
