import Aquifer

extension Language {
    /// A number that is written with a decimal point, and with commas between groups of digits, in the signs of the
    /// language: `1,234.5` is `1.234,5` in Portuguese. The signs are the texts `number.decimal` and `number.group`.
    public func number(_ digits: String) -> String {
        let (decimal, group) = (text("number.decimal"), text("number.group"))
        return digits.reduce(into: "") { result, sign in
            switch sign {
            case ".": result += decimal
            case ",": result += group
            default: result.append(sign)
            }
        }
    }
    /// A number of bytes in units of 1024, as `1.5 MB`: `1,5 MB` in Portuguese. One decimal is shown if it is not 0. A
    /// no-break space keeps the number and its unit on one line.
    public func size(_ bytes: UInt64) -> String {
        number(ByteCount.text(bytes).replacingExactly(" ", with: "\u{a0}"))
    }
}
