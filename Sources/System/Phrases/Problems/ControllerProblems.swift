/// The reasons why there is no controller, in both languages. The choice of the controller writes them in English for all programs.
package enum ControllerProblems {
    package static func phrase(_ reason: String) -> Phrase { book.phrase(reason) }

    private static let book = PhraseBook(lines: lines, words: words)

    package static let lines: [(String, String)] = [
        (
            "This machine has no Bluetooth adapter, and no other controller was chosen: {}",
            "这台机器没有蓝牙适配器，也没有选择其他控制器。请用 --controller 选择一个，例如 tcp:HOST:PORT、unix:PATH、serial:DEVICE@SPEED、radio 或 virtual。"
        ),
        (
            "\"{}\" names no adapter of bluetoothd. Write bluez for the first one, or bluez:hci1 for another one.",
            "“{}”没有指明 bluetoothd 的适配器。第一个适配器写成 bluez，其他的写成例如 bluez:hci1。"
        ),
        (
            "\"{}\" names no gateway. Write gateway:HOST or gateway:HOST:PORT, with an IPv6 address in brackets, or gateway for the only one of the local network.",
            "“{}”没有指明网关。请写成 gateway:HOST 或 gateway:HOST:PORT，IPv6 地址放在方括号中；局域网里只有一个网关时，可以只写 gateway。"
        ),
        (
            "{}: \"{}\" is no name for a radio: it has 1 to 32 letters, digits, hyphens and underscores.",
            "{}：“{}”不能作为无线电的名称：名称由 1 至 32 个字母、数字、连字符和下划线组成。"
        ),
        (
            "\"{}\" is no transport: {word} Did you mean {}? Case matters.",
            "“{}”不是传输方式：{word}是否想写 {}？请注意大小写。"
        ),
        (
            "\"{}\" is no transport: {word} The words bluez, radio, gateway and virtual are choices, too.",
            "“{}”不是传输方式：{word}也可以写 bluez、radio、gateway 或 virtual。"
        ),
        ("\"{}\" is no transport: {word}", "“{}”不是传输方式：{word}"),
        (
            "bluetoothd cannot be reached: there is no system bus at {} ({word}).",
            "无法连接 bluetoothd：{} 处没有系统总线（{word}）。"
        ),
        (
            "bluetoothd cannot be reached: DBUS_SYSTEM_BUS_ADDRESS is \"{}\", which names no Unix socket.",
            "无法连接 bluetoothd：DBUS_SYSTEM_BUS_ADDRESS 是“{}”，它没有指明 Unix 套接字。"
        ),
        ("bluetoothd cannot be reached: the system bus refuses this user.", "无法连接 bluetoothd：系统总线拒绝此用户。"),
        ("bluetoothd cannot be reached: the system bus does not answer.", "无法连接 bluetoothd：系统总线没有回答。"),
        ("The connection to the system bus broke ({}).", "与系统总线的连接中断（{}）。"),
        ("The system bus sent {}, so the connection was closed.", "系统总线发送了 {}，因此连接已关闭。"),
        ("{} has another key: set {} to the key of the gateway.", "{} 的密钥不同：请把 {} 设为网关的密钥。"),
        ("{} requires a key: set {} to the key of the gateway.", "{} 需要密钥：请把 {} 设为网关的密钥。"),
        ("{} has no key: unset {}, or give the gateway the key.", "{} 没有密钥：请取消 {}，或给网关设置密钥。"),
        (
            "No gateway announces itself on the local network: start one with bluelab gateway, or name it with BLUETOOTH_CONTROLLER=gateway:HOST.",
            "局域网上没有公布自己的网关：请用 bluelab gateway 启动一个，或用 BLUETOOTH_CONTROLLER=gateway:HOST 指明它。"
        ),
        (
            "There are {} gateways on the local network. Set BLUETOOTH_CONTROLLER to one of {}.",
            "局域网上有 {} 个网关。请把 BLUETOOTH_CONTROLLER 设为其中之一：{}。"
        ),
        (
            "{}: BLUETOOTH_RADIO_PLATFORM={} names no platform (did you mean {}?): write one of {}.",
            "{}：BLUETOOTH_RADIO_PLATFORM={} 没有指明平台（是否想写 {}？）：请写 {} 之一。"
        ),
        (
            "{}: BLUETOOTH_RADIO_PLATFORM={} names no platform: write one of {}.",
            "{}：BLUETOOTH_RADIO_PLATFORM={} 没有指明平台：请写 {} 之一。"
        ),
        ("BLUETOOTH_CONTROLLER: {part}", "BLUETOOTH_CONTROLLER：{part}"),
    ]

    package static let words: [(String, String)] = [
        (
            "write hci0 (an adapter of this machine), tcp:HOST:PORT, unix:PATH or serial:DEVICE@SPEED.",
            "请写成 hci0（这台机器的适配器）、tcp:HOST:PORT、unix:PATH 或 serial:DEVICE@SPEED。"
        ),
        ("the number of an adapter is at most 65534, as in hci0.", "适配器的编号最大为 65534，例如 hci0。"),
        (
            "an IPv6 address stands in brackets before the port, as in tcp:[::1]:6402.",
            "IPv6 地址放在端口前的方括号中，例如 tcp:[::1]:6402。"
        ),
        ("the port is missing, as in tcp:127.0.0.1:6402.", "缺少端口，正确的例子是 tcp:127.0.0.1:6402。"),
        ("the host is missing, as in tcp:127.0.0.1:6402.", "缺少主机，正确的例子是 tcp:127.0.0.1:6402。"),
        ("the port is a number from 0 to 65535.", "端口是 0 至 65535 的数。"),
        ("the path is missing, as in unix:/tmp/hci.", "缺少路径，正确的例子是 unix:/tmp/hci。"),
        ("the path of a socket is at most 107 octets long.", "套接字的路径最多 107 字节。"),
        (
            "the device is missing, as in serial:/dev/ttyACM0@1000000.",
            "缺少设备，正确的例子是 serial:/dev/ttyACM0@1000000。"
        ),
        ("the speed is a number of bits a second from 1200 to 12000000.", "速度是每秒 1200 至 12000000 位的数。"),
    ]
}
