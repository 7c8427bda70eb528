/// The Chinese of what the faults of a virtual device are and do.
package enum FaultLines {
    package static func phrase(_ line: String) -> Phrase { book.phrase(line) }

    private static let book = PhraseBook(
        lines: [
            ("starts late by {}", "启动晚了 {}"),
            ("reports no completed packets for {} after {}", "{1} 后的 {0} 内不报告已完成的数据包"),
            ("reports no completed packets until {}", "到 {} 为止不报告已完成的数据包"),
            ("loses Service Changed", "丢失 Service Changed"),
            ("forgets its bonds after {}", "{} 后忘记绑定"),
            ("forgets its bonds", "忘记绑定"),
            ("reads a stale Database Hash", "读到过时的 Database Hash"),
            ("gets a notification before the answer to its subscription", "在订阅得到响应之前收到通知"),
            ("a notification overtakes the answer to its subscription", "一个通知先于订阅的响应到达"),
            ("offers an ATT_MTU of {} octets after its first link", "第一条链路之后提供 {} 字节的 ATT_MTU"),
            ("offers an ATT_MTU of {} octets", "提供 {} 字节的 ATT_MTU"),
            ("answers late by {}", "响应晚了 {}"),
        ], words: [])
}
