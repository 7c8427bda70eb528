/// A language of phrases.
package enum PhraseLanguage: Hashable, Sendable {
    case english, chinese

    /// The language of a program's messages, as gettext chooses it: `LC_ALL`, else `LC_MESSAGES`, else `LANG` names the locale, and `LANGUAGE`
    /// has languages that precede it, the first one first. Without a locale, as in `C` and `POSIX`, it is English. Chinese needs a terminal
    /// with UTF-8: a locale that names another encoding has English.
    package init(environment: [String: String]) {
        func first(_ names: String...) -> String {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        }
        let locale = first("LC_ALL", "LC_MESSAGES", "LANG")
        let name = locale.prefix { $0 != "." && $0 != "@" }
        let characters = first("LC_ALL", "LC_CTYPE", "LANG")
        let encoding = characters.drop { $0 != "." }.dropFirst().prefix { $0 != "@" }
        let isUnicode = encoding.isEmpty || encoding.lowercased().replacing("-", with: "") == "utf8"
        guard !["", "C", "POSIX"].contains(name), isUnicode else {
            self = .english
            return
        }
        let languages = (environment["LANGUAGE"] ?? "").split(separator: ":") + [name]
        self = languages.lazy.compactMap(Self.init(locale:)).first ?? .english
    }

    /// Nil for a locale of another language.
    private init?(locale: Substring) {
        switch locale.prefix(while: \.isLetter).lowercased() {
        case "zh": self = .chinese
        case "en", "c": self = .english
        default: return nil
        }
    }
}

extension Phrase {
    /// The sentence in a language.
    package func text(in language: PhraseLanguage) -> String {
        switch language {
        case .english: description
        case .chinese: inChinese
        }
    }
}
