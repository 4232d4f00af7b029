import AquiferFoundation

/// Makes phrases fit for more company: the first vowel of a swear word becomes `*`.
///
/// It knows words and their forms, not runs of letters: "class", "assassin" and "Scunthorpe" stay as they are, "asses"
/// and "bullshit" do not. English only.
public enum ProfanityFilter {
    /// A text without the first vowels of its swear words.
    public static func filter(_ text: String) -> String {
        var filtered = ""
        var word = ""
        for character in text {
            if character.isLetter {
                word.append(character)
            } else {
                filtered += masked(word)
                filtered.append(character)
                word = ""
            }
        }
        return filtered + masked(word)
    }

    /// A phrase whose texts are filtered.
    public static func filter(_ phrase: Foaas) -> Foaas {
        Foaas(message: filter(phrase.message), subtitle: filter(phrase.subtitle))
    }

    private static func masked(_ word: String) -> String {
        guard word.count > 2, let offset = offsets[word.lowercased()] else { return word }
        let letters = Array(word)
        guard let vowel = letters[offset...].firstIndex(where: { "aeiouAEIOU".contains($0) }) else { return word }
        return String(letters[..<vowel]) + "*" + String(letters[(vowel + 1)...])
    }

    /// A swear word, the words that may stand before it in one word, and the endings that may follow it.
    private struct Family {
        let stem: String
        var heads: [String] = []
        var endings: [String] = []

        init(_ stem: String, after heads: String = "", _ endings: String = "") {
            self.stem = stem
            self.heads = heads.split(separator: " ").map(String.init)
            self.endings = endings.split(separator: " ").map(String.init)
        }
    }

    private static let families = [
        Family("arse", "s hole holes"),
        Family("ass", after: "bad dumb fat half hard jack kick lazy smart", "es hat hats hole holes load wipe"),
        Family("bastard", "s"),
        Family("bitch", "ed es ier iest in ing y"),
        Family("bollock", "ed ing s"),
        Family("bugger", "ed ing s y"),
        Family("cock", "head heads s sucker suckers sucking"),
        Family("crap", "ola ped pier piest ping py s"),
        Family("cunt", "ish s y"),
        Family("damn", after: "god", "ed ing it s"),
        Family("dick", "head heads ish s"),
        Family(
            "fuck", after: "butt cluster mind mother un",
            "able ed er ers ery face head heads in ing ings off s up ups wit wits"),
        Family("hell", "hole"),
        Family("piss", "ed er ers es ing y"),
        Family("prick", "s"),
        Family("pussies"), Family("pussy"),
        Family(
            "shit", after: "bat bull chicken dip horse",
            "bag faced head heads hole holes less load loads s show storm ted ter ters tier tiest ting ty"),
        Family("slut", "s tier ty"),
        Family("tit", "s ties ty"),
        Family("tosser", "s"),
        Family("turd", "s"),
        Family("twat", "s"),
        Family("wank", "ed er ers ing s y"),
        Family("whore", "s"),
    ]

    /// Each form of each swear word, with the offset of the swear word in it, in characters.
    private static let offsets: [String: Int] = families.reduce(into: [:]) { offsets, family in
        for head in [""] + family.heads {
            for ending in [""] + family.endings { offsets[head + family.stem + ending] = head.count }
        }
    }
}
