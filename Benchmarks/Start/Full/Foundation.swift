import Foundation

/// The import alone counts: it links all of Foundation.
let isFull = true
