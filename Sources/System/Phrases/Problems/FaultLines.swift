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
            ("answers discoveries late by {}", "对发现的响应晚了 {}"),
            ("answers writes late by {}", "对写入的响应晚了 {}"),
            ("answers nothing in the first {} of a link", "链路开始后的 {} 内不响应"),
            ("sends updates late by {}", "通知和指示晚了 {}"),
            ("sends packets of a pairing late by {}", "配对的数据包晚了 {}"),
            ("ignores requests for connection parameters", "忽略连接参数的请求"),
            ("ignores a request for connection parameters", "忽略一个连接参数的请求"),
        ], words: [])
}
