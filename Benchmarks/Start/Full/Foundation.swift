import Foundation

/// Uses what the engine used of full Foundation before it was light: a lock, a path, the age of a copy in words.
func prepare() {
    let lock = NSLock()
    lock.lock()
    defer { lock.unlock() }
    let folder = (CommandLine.arguments[0] as NSString).deletingLastPathComponent
    let age = Date.AnchoredRelativeFormatStyle(anchor: .distantPast, locale: Locale(identifier: "en"))
    if folder == "never" { print(age.format(.distantFuture)) }
}
