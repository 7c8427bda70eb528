/// The errors of a profile in both languages. The reader of profiles writes them in English for the terminal: `expected ..., found ....`.
package enum ProfileProblems {
    package static func phrase(_ message: String) -> Phrase { phrase(message) { _ in nil } }

    /// - Parameter thing: The translation of an expectation that is not one of a profile; nil if it is.
    static func phrase(_ message: String, _ thing: (String) -> Phrase?) -> Phrase {
        if lines.knows(message) { return lines.phrase(message) }
        guard message.hasPrefix("expected "), message.hasSuffix("."), let middle = message.firstRange(of: ", found ")
        else { return Phrase(data: message) }
        let start = message.index(message.startIndex, offsetBy: "expected ".count)
        guard start <= middle.lowerBound else { return Phrase(data: message) }
        let expectation = String(message[start..<middle.lowerBound])
        let wanted = thing(expectation) ?? things.sentence(expectation)
        let found = found(String(message[middle.upperBound...].dropLast()))
        return Phrase("expected \(wanted), found \(found).", "应为\(wanted)，实际为\(found)。")
    }

    /// A text of the profile is a value, whatever it says.
    private static func found(_ text: String) -> Phrase {
        text.hasPrefix("\"") && text.hasSuffix("\"") ? Phrase(data: text) : findings.sentence(text)
    }

    private static let lines = PhraseBook(
        lines: [
            ("expected YAML, found: {word} ({word} in line {}).", "不是有效的 YAML：{0}（{1}，第 {2} 行）。"),
            ("expected YAML, found: {word}.", "不是有效的 YAML：{word}。"),
            ("expected text, found: {word}.", "不是有效的文本：{word}。"),
            ("expected each key once, found {} again.", "每个键只能出现一次，{} 重复出现。"),
            (
                "expected a {} of the device, found {}, which the host defines.",
                "{1} 由主机定义，设备不能定义它（{0}）。"
            ),
            ("expected a column only with a file.", "只有使用文件时才能指定列。"),
            ("expected a CSV file that can be read: {}", "无法读取 CSV 文件：{}"),
            (
                "expected a format for {}, which has no adopted format that text can express.",
                "请为 {} 指定格式：它没有可以用文本表示的标准格式。"
            ),
            ("expected exactly one of {}", "只能使用以下各项中的一项：{}"),
            ("expected either {}", "只能二选一：{}"),
            (
                "expected values, found the file {}: a profile without a folder has no files.",
                "应为值，实际为文件 {}：不在文件夹中的配置文件不能使用文件。"
            ),
        ], words: ParserWords.all)

    /// The translations of the expectation in an error.
    private static let things = PhraseBook(
        lines: [
            ("{part} (a mapping with {} and {})", "{word}（含有 {} 和 {} 的映射）"),
            ("{part} (a mapping with {})", "{word}（含有 {} 的映射）"),
            ("the key \"{}\" in {part}", "{1}中的键“{0}”"),
            ("one of the keys {} and {}", "以下键之一：{} 和 {}"),
            ("one of the keys {}", "键 {}"),
            ("one of the sources {}", "以下来源之一：{}"),
            ("a UUID such as {}, or a name of the Bluetooth SIG", "{} 这样的 UUID，或蓝牙 SIG 的名称"),
            ("a UUID such as {}, or a name such as {}", "{} 这样的 UUID，或 {} 这样的名称"),
            ("a number of octets up to 512 such as {}, or a range such as {}", "不超过 512 的字节数（例如 {}），或范围（例如 {}）"),
            ("an ATT error such as {} or {}", "{} 或 {} 这样的 ATT 错误"),
            ("a format with numbers such as {} in the characteristic", "特征中 {} 这样的数值格式"),
            ("a whole number from {} to {}", "{} 至 {} 的整数"),
            ("a number from {} to {}", "{} 至 {} 的数"),
            ("a duration from {} to {}", "{} 至 {} 的时长"),
            ("a duration such as {}, {} or {}", "{}、{} 或 {} 这样的时长"),
            ("octets as hexadecimal digits such as {}", "{} 这样的十六进制字节"),
            ("a profile of at most {} octets", "最多 {} 字节的配置文件"),
            ("a name of at most {} octets", "最多 {} 字节的名称"),
            ("at most {} octets", "最多 {} 字节"),
            ("at most {} {word}", "最多 {} 个{word}"),
            ("{} to {} octets", "{} 至 {} 字节"),
            ("a value in the format {}", "格式为 {} 的值"),
            ("the column {} in {}", "{1} 中的列 {0}"),
            ("bounds that fit {}", "适合 {} 的上下限"),
            ("the source {}", "来源 {}"),
            ("{} or {}", "{} 或 {}"),
        ],
        words: [
            ("a text", "文本"), ("a value in the format adopted", "符合标准格式的值"), ("a number", "数"),
            ("a whole number", "整数"), ("true or false", "true 或 false"),
            ("a mapping", "映射"), ("a value", "值"), ("values", "值"), ("levels", "层"), ("aliases", "别名"),
            ("a profile", "配置文件"), ("the profile", "配置文件"), ("a service", "服务"), ("services", "服务"),
            ("a characteristic", "特征"), ("characteristics", "特征"), ("a descriptor", "描述符"), ("descriptors", "描述符"),
            ("an advertisement", "广播"), ("manufacturer data", "厂商数据"), ("service data", "服务数据"),
            ("an effect of a write", "写入的效果"), ("effects", "效果"), ("rules of writes", "写入规则"),
            ("rules of reads", "读取规则"), ("a characteristic of this profile", "此配置文件中的特征"),
            ("a list of characteristics", "特征列表"), ("a list of descriptors", "描述符列表"), ("a list of effects", "效果列表"),
            ("a list of properties", "属性列表"), ("a list of service data", "服务数据列表"), ("a list of services", "服务列表"),
            ("a list of values", "值的列表"), ("a list of UUIDs", "UUID 列表"), ("at least one value", "至少一个值"),
            ("a name as the key", "名称作为键"), ("UTF-8 text", "UTF-8 文本"),
            ("UTF-8 text for descriptor 2901", "描述符 2901 的 UTF-8 文本"),
            ("a service that is listed before the service that includes it", "列在包含它的服务之前的服务"),
            ("one characteristic (SERVICE/CHARACTERISTIC selects it)", "一个特征（用 SERVICE/CHARACTERISTIC 选择）"),
            ("a characteristic with the property notify or indicate", "带有 notify 或 indicate 属性的特征"),
            ("the property notify or indicate for notifications", "通知所需的 notify 或 indicate 属性"),
            ("the property read for rules of reads", "读取规则所需的 read 属性"),
            (
                "the property write or write-without-response for rules of writes",
                "写入规则所需的 write 或 write-without-response 属性"
            ),
            ("a minimum below the maximum", "小于最大值的最小值"), ("a minimum up to the maximum", "不大于最大值的最小值"),
            ("a step other than 0 that fits the bounds", "适合上下限且不为 0 的步长"),
            ("a file in the folder of the profile", "配置文件所在文件夹中的文件"),
            (
                "factor, prefix and suffix only with counter, sine or random-walk",
                "只能与 counter、sine 或 random-walk 一起使用的 factor、prefix 和 suffix"
            ),
        ])

    /// A text of the profile, and why it is not a value: the text is the first value of the sentence.
    private static let values = ValueProblems.lines.map { english, chinese in
        ("{}: \(english.dropLast())", "{}：\(shifted(chinese.dropLast()))")
    }

    /// The sentence with each number of a value one higher.
    private static func shifted(_ text: Substring) -> String {
        String(text).replacing(/\{(\d)\}/) { "{\((Int($0.1) ?? 0) + 1)}" }
    }

    /// The translations of the finding in an error.
    private static let findings = PhraseBook(
        lines: values + [
            ("{word} (did you mean {}?)", "{word}（是否想写 {}？）"),
            ("a list: {}", "列表：{}"), ("a mapping: {}", "映射：{}"), ("nothing: {}", "空：{}"),
            ("{} and {}", "{} 和 {}"),
        ],
        words: [
            ("nothing", "空"), ("none", "没有"), ("more", "更多"), ("a list", "列表"), ("a mapping", "映射"),
            ("an empty file", "空文件"), ("other octets", "其他字节"), ("a list or a mapping", "列表或映射"),
            ("an alias without an anchor", "没有锚点的别名"),
        ])
}
