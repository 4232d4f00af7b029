import AquiferWording
import Foundation

@testable import Aquifer
@testable import AquiferCLI
@testable import AquiferHTTP
@testable import AquiferPayments

extension FuzzTarget {
    /// What users type, and texts from everywhere.
    static let typed: [FuzzTarget] = [
        .now("amounts") { data in
            let text = data.asText
            guard let money = try? Money(parsing: text) else { return }
            try promise(money.cents > 0 && money <= Money.limit, "an amount is out of bounds")
            try promise(try Money(parsing: money.text) == money, "an amount is written as another")
            try promise(try Money(parsing: money.decimal) == money, "an amount is written as another")
        },
        .now("cards") { data in
            var input = FuzzInput(data)
            let now = Date(timeIntervalSince1970: Double(input.number() % 253_000_000_000))
            let (code, text) = (input.text(), input.restText)
            if let number = try? CardNumber(text, allowsTestCard: true) {
                try promise(try CardNumber(number.digits, allowsTestCard: true) == number, "a number is another")
                try promise(!"\(number)".contains(number.digits), "a number is shown")
                if let read = try? SecurityCode(code, for: number.brand) {
                    try promise(read.digits.count == SecurityCode.length(for: number.brand), "a code is too long")
                }
            }
            if let expiry = try? Expiry(parsing: text, now: now) {
                try promise(!expiry.isExpired(at: now), "a card has expired that was taken")
                try promise(try Expiry(parsing: expiry.text, now: now) == expiry, "a date is written as another")
            }
            if let name = try? HolderName.parse(text) {
                try promise(try HolderName.parse(name).isSame(name), "a name is another after it was read")
                try promise(name.count <= HolderName.longest, "a name is too long")
            }
        },
        .now("texts") { data in
            let text = data.asText
            let harmless = text.harmless
            try promise(harmless.harmless.isSame(harmless), "a harmless text is not harmless")
            try promise(
                !harmless.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0x9B },
                "a harmless text controls a terminal")
            let encoded = PercentEncoding.encode(text)
            try promise(PercentEncoding.decode(encoded).isSame(text), "a text is another after it was encoded")
            try promise(PercentEncoding.decodeStrictly(encoded)?.isSame(text) == true, "an encoded text is refused")
            try promise(Data(hexadecimal: data.hexadecimal) == data, "bytes are others after they were written")
            if let bytes = Data(hexadecimal: text) {
                try promise(bytes.hexadecimal == text.lowercased(), "two texts stand for the same bytes")
            }
            _ = (
                SearchText(text).isIn(text, "a"), FileName.hash(text), text.quotedForShell,
                Language.english.text("\(text)")
            )
        },
        .now("arguments") { data in
            let words = data.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.asText }
            let scan = CommandLineScan(words)
            try promise(scan.parts.count <= words.count, "a word comes from nowhere")
            _ = scan.printsDocuments
            do throws(CommandError) {
                let given = try Arguments(words)
                if given.has(Options.help) {
                    try HelpText.check(given.words)
                    _ = HelpText.lines(for: given.words)
                }
                let command = try CommandTable.command(given.words)
                let arguments = try given.arguments(of: command)
                let call = CommandCall(
                    command: command, arguments: arguments, options: try GlobalOptions(arguments, now: today),
                    console: Console())
                // A command that takes a file may look at it at once. What fuzzing names is nobody's to open.
                let takesFiles = command.arguments.contains { [.file, .folder].contains($0.words) }
                if !takesFiles { _ = try command.handler.init(call) }
            } catch {
                try promise(error.status == .usage, "a mistake in the words has another status: \(error.message)")
                try promise(!error.message.isEmpty, "a mistake in the words is not explained")
            }
        },
    ]

    private static let today = Date(timeIntervalSince1970: 1_800_000_000)
}
