/// The language of the words between the names and numbers of a text. Names of the specification stay as they are.
package enum TextLanguage: Sendable {
    case english
    case chinese

    /// Selects one of two texts, of which only the selected one is made.
    func callAsFunction(_ english: @autoclosure () -> String, _ chinese: @autoclosure () -> String) -> String {
        self == .english ? english() : chinese()
    }

    // Words that many texts share.

    var handle: String { self("handle", "句柄") }
    var type: String { self("type", "类型") }
    var channel: String { self("channel", "通道") }
    var undecodable: String { self("undecodable", "无法解码") }
    var empty: String { self("empty", "空") }
    var none: String { self("none", "无") }
    var reserved: String { self("reserved", "保留") }
    var accepted: String { self("accepted", "接受") }
    var rejected: String { self("rejected", "拒绝") }
    var notAvailable: String { self("not available", "不可用") }
    var comma: String { self(", ", "，") }

    func yesOrNo(_ isSet: Bool) -> String { isSet ? self("yes", "是") : self("no", "否") }
    func addressType(isRandom: Bool) -> String { isRandom ? self("random", "随机") : self("public", "公共") }
    func octets(_ count: some BinaryInteger) -> String { self("\(count) octets", "\(count) 字节") }
    func error(_ code: String) -> String { self("error \(code)", "错误 \(code)") }
    func atEvent(_ number: some BinaryInteger) -> String { self("at event \(number)", "于事件 \(number)") }
    func from(_ offset: some BinaryInteger) -> String { self("from \(offset)", "从 \(offset) 起") }
    func range(_ first: String, _ last: String) -> String { self("\(first) to \(last)", "\(first) 至 \(last)") }
    func execution(writes: Bool) -> String { writes ? self("write", "写入") : self("cancel", "取消") }
}
