import Aquifer
import Foundation

/// Leaves secrets out of errors and notes: words of the command line that may be a card's number or its security code, typed
/// in the wrong place, and names and passwords in web addresses.
///
/// Paths stay as they are: a number in the name of a file is no secret.
struct Redaction: Sendable {
    /// The redaction of this process's command line.
    static let ofProcess = Redaction(Array(CommandLine.arguments.dropFirst()))

    static let leftOut = "(digits left out)"

    /// Words that no text repeats.
    private var secrets: Set<String> = []
    /// Words that no text repeats in quotation marks.
    private var unquotable: Set<String> = []
    private var paths: Set<String> = []

    /// The redaction of texts about a command line.
    init(_ arguments: [String]) {
        let scan = CommandLineScan(arguments)
        let words = scan.words
        // Words that name no command may be secrets, too.
        let command = try? CommandTable.command(words)
        // Numbers and codes are typed in these commands. Elsewhere a few digits are not taken for a code.
        let isNearCards = ["pay", "payments", "cards"].contains(words.first)
        var texts: [String] = []
        for (place, word) in words.enumerated() {
            let argument = command.flatMap { $0.argument(at: place - $0.words.count) }
            let isPath = argument?.words == .file || argument?.words == .folder
            add(word, isPath: isPath, isNearCards)
            if !isPath, place >= command?.words.count ?? 0 { texts.append(word) }
        }
        // An error about a command has its group, too.
        if words.count > 1 { add("\(words[0]) \(words[1])", isPath: false, isNearCards) }
        // A number may be typed as several words.
        if texts.count > 1 { add(texts.joined(separator: " "), isPath: false, false) }
        for case .option(let option, _, let value?) in scan.parts {
            add(value, isPath: option.words == .file || option.words == .folder, isNearCards)
        }
        for case .mistake(let message, nil) in scan.parts {
            let word = message.before(" ")
            add(word, isPath: false, isNearCards)
            // An option that is none is not repeated in quotation marks.
            if isNearCards, word.mayHaveCode { secrets.insert(word) }
        }
    }

    private mutating func add(_ word: String, isPath: Bool, _ isNearCards: Bool) {
        guard !isPath else {
            let name = word.split(separator: "/").last.map(String.init) ?? ""
            // Only a path with many digits could be taken for a number.
            paths.formUnion([word, name].filter { $0.count(where: \.isNumber) >= 8 })
            return
        }
        guard UUID(uuidString: word) == nil, !word.contains("://") else { return }
        if word.digitRun >= 12 { secrets.formUnion([word, word.trimmingCharacters(in: .whitespaces)]) }
        if isNearCards, word.mayHaveCode { unquotable.insert(word) }
    }

    /// The text without secrets.
    func text(_ text: String) -> String {
        var text = text
        for secret in secrets { text = text.replacingExactly(secret, with: Self.leftOut) }
        for word in unquotable { text = text.replacingExactly("\"\(word)\"", with: "\"\(Self.leftOut)\"") }
        // A regular expression takes as long to begin with as a short command, and most texts have neither a user nor a number.
        if text.utf8.contains(UInt8(ascii: "@")) {
            text = text.replacing(/:\/\/[^\/\s"]*@/.matchingSemantics(.unicodeScalar), with: "://(left out)@")
        }
        return withoutNumbers(text)
    }

    private func withoutNumbers(_ text: String) -> String {
        // The longest path is found first, because it may contain others.
        guard let path = paths.filter({ text.contains($0) }).max(by: { $0.utf8.count < $1.utf8.count }) else {
            return text.withoutCardNumbers
        }
        return text.components(separatedBy: path).map(withoutNumbers).joined(separator: path)
    }
}

extension String {
    /// The text without possible card numbers, so that a number that was typed into an answer is not repeated.
    var withoutCardNumbers: String {
        guard utf8.count(where: { (0x30...0x39).contains($0) }) >= 12 else { return self }
        // A number has 12 to 19 digits, in one maximal word of letters, digits and dashes, or in several adjacent ones.
        return replacing(/[0-9A-Za-z-]+(?: [0-9-]+)*/.matchingSemantics(.unicodeScalar)) { match in
            let digits = match.output.count(where: \.isNumber)
            let isNumber = (12...19).contains(digits) && !match.output.contains(where: \.isLetter)
            return isNumber ? Redaction.leftOut : String(match.output)
        }
    }

    /// The length of the longest run of digits of any script, when everything but letters is taken out between them.
    fileprivate var digitRun: Int {
        var (run, longest) = (0, 0)
        for character in self {
            if character.isWholeNumber {
                run += 1
                longest = max(longest, run)
            } else if character.isLetter {
                run = 0
            }
        }
        return longest
    }

    /// True if three digits follow each other, as in a security code, or the word has no more digits than one. An ID and the
    /// beginning of one, an amount in thousands, and a user name may have such digits, too.
    fileprivate var mayHaveCode: Bool {
        let (digits, letters) = (count(where: \.isWholeNumber), count(where: \.isLetter))
        guard !hasPrefix("@") || digitRun >= 8 else { return false }
        if (3...4).contains(digits), letters <= 1, !contains(where: { $0 == "." || $0 == "," }) { return true }
        let isID = letters > 0 && allSatisfy { $0.isHexDigit || $0 == "-" }
        let isAmount = digits < 12 && wholeMatch(of: /-?\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?/) != nil
        guard !isID, !isAmount else { return false }
        var run = 0
        for character in self {
            run = character.isWholeNumber ? run + 1 : 0
            if run == 3 { return true }
        }
        return false
    }

    fileprivate func before(_ end: Character) -> String { String(prefix { $0 != end }) }
}
