import BLEPacketDecoding
import BLEValues
import Phrases

extension ShownText {
    /// A text of a short line that a decoder makes in both languages.
    static func name(_ text: (FittingText.Words) -> String) -> Phrase {
        Phrase(data: name(text(.english)), chinese: name(text(.chinese)))
    }

    /// A text of a value that a decoder makes in both languages.
    static func value(_ text: (FittingText.Words) -> String) -> Phrase {
        value(text(.english), chinese: text(.chinese))
    }

    static func value(_ english: String, chinese: String) -> Phrase {
        Phrase(data: value(english), chinese: value(chinese), limit: valueLimit + 1)
    }
}

extension FittingText.Words {
    static let chinese = Self(empty: "（空）") { ValueWords.summary($0, in: .chinese) }
}
