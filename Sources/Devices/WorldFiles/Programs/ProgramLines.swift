import Phrases

/// The Chinese of the lines that the programs of worlds print. A test reads the sources of the programs and finds an entry for each line.
package enum ProgramLines {
    package static let book = PhraseBook(lines: lines + [value], words: words)

    /// All entries except `value`.
    package static let lines = walkthrough + wristband

    /// `Examples/ExamplePrograms/WalkthroughCentral.swift`.
    private static let walkthrough: [(String, String)] = [
        ("create the central manager", "创建中心管理器"),
        ("the state is {word}", "状态为{word}"),
        ("scan for peripherals", "扫描外设"),
        ("found {} at {} dBm", "发现 {}，信号强度 {} dBm"),
        ("connect", "连接"),
        ("connected to {}", "已连接到 {}"),
        ("discover services", "发现服务"),
        ("services: {}", "服务：{}"),
        ("discover the characteristics of {}", "发现 {} 的特征"),
        ("characteristics of {}: {}", "{} 的特征：{}"),
        ("read descriptor {}", "读取描述符 {}"),
        ("read {}", "读取 {}"),
        ("write descriptor {}", "写入描述符 {}"),
        ("write {} to {}", "向 {1} 写入 {0}"),
        ("wrote {}", "已写入 {}"),
        ("turn the notifications of {} on", "打开 {} 的通知"),
        ("the notifications of {} are {word}", "{} 的通知已{word}"),
        ("discover the descriptors of {}", "发现 {} 的描述符"),
        ("descriptors of {}: {word}", "{} 的描述符：{word}"),
        ("descriptor {} = {word}", "描述符 {} = {word}"),
        ("answer to the write of {}: {word}", "写入 {} 的响应：{word}"),
        ("disconnect", "断开连接"),
        // `NoBluetooth`.
        ("Bluetooth is {word} here.", "这里的蓝牙状态为{word}。"),
    ]

    /// `Examples/ExamplePrograms/WristbandPeripheral.swift`.
    private static let wristband: [(String, String)] = [
        ("create the peripheral manager", "创建外设管理器"),
        ("Bluetooth is not usable", "蓝牙不可用"),
        ("add two services", "添加两个服务"),
        ("added {}", "已添加 {}"),
        ("start advertising", "开始广播"),
        ("could not publish {}: {word}", "无法发布 {}：{word}"),
        ("the daily goal is {} steps now", "每日目标现在是 {} 步"),
        ("could not advertise: {word}", "无法广播：{word}"),
        ("advertising as {}", "正在以名称 {} 广播"),
        ("a central subscribed to {}", "中心设备订阅了 {}"),
        ("a central left {}", "中心设备取消了对 {} 的订阅"),
        ("a central reads {}", "中心设备读取 {}"),
        ("answer {}", "回复 {}"),
        ("a central writes, requests: {}", "中心设备写入，请求数：{}"),
        ("accept {}", "接受 {}"),
        ("pulse {}, but the queue is full", "脉搏 {}，但队列已满"),
        ("pulse {}", "脉搏 {}"),
        ("the transmit queue has space", "发送队列有空位了"),
    ]

    /// The last entry of a book, because it fits many lines: a value of the walkthrough.
    package static let value = ("{} = {word}", "{} = {word}")

    package static let words: [(String, String)] =
        SystemWords.errors + [
            ("powered on", "已开启"), ("powered off", "已关闭"), ("resetting", "正在重置"), ("unauthorized", "未授权"),
            ("unsupported", "不支持"), ("unknown", "未知"), ("not usable", "不可用"),
            ("on", "打开"), ("off", "关闭"), ("none", "无"), ("nothing", "无"), ("written", "已写入"), ("read", "已读取"),
            ("yes", "是"), ("no", "否"), ("without an error", "没有错误"),
            ("a device without a name", "没有名称的设备"), ("a device", "一台设备"),
            ("all correct", "全部正确"), ("damaged", "已损坏"),
            ("response", "有响应"), ("pauses", "无响应，有停顿"), ("flow", "无响应，按流量控制"), ("careless", "无响应，一次全部写入"),
        ]
}
