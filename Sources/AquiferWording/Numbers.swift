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
}
