/// The errors of values that a user types, in both languages. The encoders write them in English for the terminal.
package enum ValueProblems {
    package static func phrase(_ message: String) -> Phrase { book.phrase(message) }

    /// Whether an error has a translation.
    package static func knows(_ message: String) -> Bool { book.knows(message) }

    private static let book = PhraseBook(lines: lines, words: [])

    /// The entries that take the words of a field come after those with fixed words.
    package static let lines: [(String, String)] = [
        ("this characteristic has fields that depend on each other; write it as hex.", "这个特征的字段互相依赖，请以 hex 格式写入。"),
        ("the SIG defines no format for this characteristic.", "蓝牙 SIG 没有为这个特征定义格式。"),
        ("{} cannot be written as text; write the value as hex.", "{} 不能写成文本，请以 hex 格式写入。"),
        (
            "\"{}\" is not hexadecimal: expected pairs of digits, such as \"{}\" or {}.",
            "“{}”不是十六进制：应为成对的数字，例如“{}”或 {}。"
        ),
        ("\"{}\" is not base64.", "“{}”不是 base64。"),
        ("\"{}\" is not a format.", "“{}”不是格式。"),
        (
            "\"{}\" is not a whole number from {} to {}, as {} expects.",
            "“{0}”不是 {3} 所需的 {1} 至 {2} 的整数。"
        ),
        ("\"{}\" is not a number, as {} expects.", "“{0}”不是 {1} 所需的数。"),
        ("\"{}\" is not hexadecimal digits, as {} expects.", "“{0}”不是 {1} 所需的十六进制数字。"),
        ("\"{}\" is not {} octets in hexadecimal, as {} expects.", "“{0}”不是 {2} 所需的 {1} 个十六进制字节。"),
        ("\"{}\" is not a date after {}, as {} expects.", "“{0}”不是 {2} 所需的 {1} 之后的日期。"),
        ("\"{}\" is not a date such as {}, as {} expects.", "“{0}”不是 {2} 所需的 {1} 这样的日期。"),
        ("\"{}\" is not a time such as \"{}\", as {} expects.", "“{0}”不是 {2} 所需的“{1}”这样的时间。"),
        ("\"{}\" is not one of {}, or a number, as {} expects.", "“{0}”不是 {2} 所需的以下各项之一，也不是数：{1}。"),
        ("\"{}\" is not one of {}, as {} expects.", "“{0}”不是 {2} 所需的以下各项之一：{1}。"),
        ("\"{}\" is beyond the range of {}.", "“{}”超出了 {} 的范围。"),
        ("\"{}\" does not fit {}: expected {} to {}.", "“{0}”不适合 {1}：应为 {2} 至 {3}。"),
        (
            "\"{}\" has {} of {} values; expected {}, separated by commas.",
            "“{0}”有 {1} 个值，应有 {2} 个：以逗号分隔的 {3}。"
        ),
    ]
}
