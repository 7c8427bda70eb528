/// The Chinese of errors in world files.
package enum WorldProblems {
    /// An error without its place. One in a profile of the world is that of the profile.
    package static func phrase(_ message: String) -> Phrase {
        if lines.knows(message) { return lines.phrase(message) }
        return ProfileProblems.phrase(message) { text in
            words.contains { $0.0 == text } || things.knows(text) ? things.sentence(text) : nil
        }
    }

    private static let lines = PhraseBook(
        lines: [
            (
                "expected a profile, found the path of a file: this world has no folder.",
                "应为配置文件，实际为文件的路径：这个世界不能使用其他文件。"
            ),
            ("expected a script, found the path of a file: this world has no folder.", "应为脚本，实际为文件的路径：这个世界不能使用其他文件。"),
            ("expected a device that is on at this time, found {}, which is off.", "应为此时已通电的设备，实际为已断电的 {}。"),
            ("expected a device with a Bluetooth host, found the beacon {}.", "应为有蓝牙主机的设备，实际为信标 {}。"),
            ("expected no platform: this device has no host, found one.", "不能有平台：此设备没有主机。"),
            (
                "expected a device with a program or a profile, found {}: the managers of its program would lose their host.",
                "应为有程序或配置文件的设备，实际为 {}：其程序的管理器会失去主机。"
            ),
            ("expected an id that no other device has, found {} again.", "设备的 id 不能重复，{} 重复出现。"),
            ("expected an id that no other wall has, found {} again.", "墙的 id 不能重复，{} 重复出现。"),
            ("expected the earlier time first, found the later one.", "应先写较早的时间，实际先写了较晚的时间。"),
        ], words: [])

    private static let things = PhraseBook(
        lines: [
            ("a device of this world (did you mean {}?)", "这个世界中的设备（是否想写 {}？）"),
            (
                "a path with the suffix .yaml, or a shipped profile (did you mean {}?)",
                "以 .yaml 结尾的路径，或随附的配置文件（是否想写 {}？）"
            ),
            ("the version {} of the format", "格式的版本 {}"), ("a seed from {} to {}", "{} 至 {} 的种子"),
            ("a value from {} to {}", "{} 至 {} 的值"), ("a number of metres from {} to {}", "{} 至 {} 的米数"),
            ("a number of devices from {} to {}", "{} 至 {} 的设备数"), ("a number of octets from {} to {}", "{} 至 {} 的字节数"),
            ("a group of at most {} values", "最多 {} 个值的一组设备"),
            ("at most {} devices", "最多 {} 台设备"), ("at most {} walls", "最多 {} 堵墙"), ("at most {} events", "最多 {} 个事件"),
            ("at most {} expectations", "最多 {} 项期望"), ("a name of {} to {} octets", "{} 至 {} 字节的名称"),
            ("an event with one of the keys {}", "含有以下键之一的事件：{}"), ("the key {} beside {}", "与 {1} 一起使用的键 {0}"),
            ("the key {} in {word}", "{1}中的键 {0}"),
            ("the type connectable or scannable beside {}", "与 {} 一起使用的类型 connectable 或 scannable"),
            ("at most {} octets of advertising data", "最多 {} 字节的广播数据"),
            (
                "an id of at most {} letters, digits, -, _ and . that begins with a letter or a digit",
                "最多 {} 个字母、数字、-、_ 和 . 组成的 id，以字母或数字开头"
            ),
            ("one of the keys {} and {}", "以下键之一：{} 和 {}"), ("one of the keys {}", "键 {}"),
            ("one of {} and {}", "{} 和 {} 中的一项"),
            ("{word} (a mapping with {} and {})", "{word}（含有 {} 和 {} 的映射）"),
            ("{word} (a mapping with {})", "{word}（含有 {} 的映射）"),
        ],
        words: words)

    private static let words = [
        ("a world", "世界"), ("a wall", "墙"), ("a device", "设备"), ("an event", "事件"), ("an expectation", "期望"),
        ("an environment", "无线环境"), ("a grid", "网格"), ("a beacon", "信标"), ("a list of walls", "墙的列表"),
        ("a list of devices", "设备的列表"), ("a list of events", "事件的列表"), ("a list of expectations", "期望的列表"),
        ("a wall of this world", "这个世界中的墙"), ("a device of this world", "这个世界中的设备"),
        ("a device that exists at this time", "此时存在的设备"), ("a mapping of parameters", "参数的映射"),
        ("a device whose program has actions", "程序有操作的设备"), ("a name", "名称"),
        ("a path with the suffix .yaml, or a shipped profile", "以 .yaml 结尾的路径，或随附的配置文件"),
        ("an event such as {at: 5 s, power: band, on: false}", "{at: 5 s, power: band, on: false} 这样的事件"),
        ("a position in metres such as [1.5, 2] or [1.5, 2, 0.8]", "[1.5, 2] 或 [1.5, 2, 0.8] 这样以米为单位的位置"),
        ("two devices such as [phone, band]", "[phone, band] 这样的两台设备"),
        ("two times such as [5 s, 10 s]", "[5 s, 10 s] 这样的两个时间"),
        ("services whose UUIDs have the same length", "UUID 长度相同的服务"), ("a UUID of 32 digits", "32 位的 UUID"),
    ]
}
