/// The failures of a served profile and of a raw advertisement in both languages. Their sources write them in English for the terminal.
package enum ServingProblems {
    /// What a profile's server reports.
    package static func phrase(_ sentence: String) -> Phrase { book.phrase(sentence) }

    private static let book = PhraseBook(lines: lines, words: SystemWords.errors)

    package static let lines: [(String, String)] = [
        ("the service {} cannot be published: {word}", "无法发布服务 {}：{word}"),
        ("advertising cannot start: {word}", "无法开始广播：{word}"),
        (
            "The advertising data has {} octets and the scan response {}: each has at most 31.",
            "广播数据有 {} 字节，扫描响应有 {} 字节：每个最多 31 字节。"
        ),
        (
            "An advertising interval of {} is not possible: use 20 ms to 10.24 s.",
            "广播间隔不能是 {}：请使用 20 ms 至 10.24 s。"
        ),
        (
            "A non-connectable packet has no scan response: use .scannable.",
            "不可连接的数据包没有扫描响应：请使用 .scannable。"
        ),
        (
            "A directed packet carries no data: leave data and scan response empty.",
            "定向广播不携带数据：请将数据和扫描响应留空。"
        ),
    ]
}
