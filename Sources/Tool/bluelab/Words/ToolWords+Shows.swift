import WorldFiles

/// Lines of the demos, of traces, of the radio and of fleets of gateways.
extension ToolWords {
    /// A line of a program whose words are those of worlds, such as the walkthrough of the demo.
    static func sayOfProgram(_ english: String) -> String {
        guard language != .english, ProgramLines.book.knows(english) else { return say(english) }
        return ProgramLines.book.phrase(english).inChinese
    }

    static let demoLines: [(String, String)] = [
        (
            "A phone and a wristband, {part} apart, on a virtual radio (seed {}).", "一部手机和一个手环，相距 {}，在虚拟无线电上（种子 {}）。"
        ),
        ("1 metre", "1 米"),
        ("{} metres", "{} 米"),
        ("The air is in {}: open it with Wireshark.", "空中的数据包在 {} 中：请用 Wireshark 打开。"),
        ("disconnected", "已断开"),
        ("disconnected: {word}", "已断开：{}"),
        ("{} of {} steps", "{1} 步中的 {0} 步"),
        (" in {} of virtual time, computed in {}", "，虚拟时间 {}，计算用时 {}"),
        ("{} notifications, pulse {} to {} a minute", "{} 个通知，脉搏每分钟 {} 至 {} 次"),
        ("{} packets on air, {part}, {} ms of air time ({} %)", "空中 {} 个数据包，{}，占用 {} ms（{} %）"),
        ("none heard", "都没有收到"),
        ("none lost", "没有丢失"),
        ("{} lost or damaged", "{} 个丢失或损坏"),
        ("These steps did not happen: {}.", "这些步骤没有发生：{}。"),
        ("The central gave up: {word}", "中心设备放弃了：{}"),
        ("The central was not through after {} of virtual time.", "虚拟时间 {} 之后，中心设备还没有完成。"),
        ("The wristband's goal is {}, not {}.", "手环的目标是 {}，而不是 {}。"),
        (
            "Run it again with --trace --seed {} to see every packet of this very run.",
            "请用 --trace --seed {} 再运行一次，查看这次运行的每个数据包。"
        ),
        // A trace. The names of packets and fields are those of the specification.
        ("device {}", "设备 {}"),
        ("unheard", "未收到"),
        ("damaged", "已损坏"),
        ("missed", "错过"),
    ]

    static let lampLines: [(String, String)] = [
        (
            "A phone and a lamp in one process, {part}. The radio is virtual; router, access point and cloud are simulated.",
            "一部手机和一盏灯在同一个进程中，{}。无线电是虚拟的；路由器、接入点和云是模拟的。"
        ),
        ("in real time", "真实时间"),
        ("in virtual time (seed {})", "虚拟时间（种子 {}）"),
        (
            "The form with real sockets, in network namespaces, is not possible here: {}.",
            "在网络命名空间中使用真实套接字的形式在这里不可用：{}。"
        ),
        (
            "A phone and a lamp in two network namespaces with real sockets, a router between them, and {part}.",
            "一部手机和一盏灯在两个网络命名空间中，使用真实套接字，中间有一个路由器，{}。"
        ),
        ("the usual time limits", "采用通常的时限"),
        ("short time limits", "采用较短的时限"),
        ("The radio is virtual. {part}", "无线电是虚拟的。{}"),
        ("{} of real time", "真实时间 {}"),
        ("{} of virtual time, computed in {}", "虚拟时间 {}，计算用时 {}"),
        ("time", "时间"),
        ("network", "局域网"),
        ("direct", "直连"),
        ("cloud", "云"),
        ("Bluetooth", "蓝牙"),
        ("lamp", "灯"),
        ("on", "开启"),
        ("phone: switch the lamp, request {}", "手机：开关灯，请求 {}"),
        ("all four ways are back", "四条途径都恢复了"),
        ("lamp: waits for a phone, by Improv Wi-Fi over Bluetooth", "灯：通过蓝牙上的 Improv Wi-Fi 等待手机"),
        ("lamp: joined the Wi-Fi network", "灯：已加入 Wi-Fi 网络"),
        ("lamp: {part}, by its button", "灯：{}，由它的按钮"),
        ("lamp: {part}, by request {}", "灯：{}，由请求 {}"),
        ("lamp: {part}", "灯：{}"),
        ("phone: found the lamp, which wants its button pressed", "手机：找到了灯，它要求按下按钮"),
        ("phone: gave the lamp the password of the network", "手机：把网络的密码给了灯"),
        ("phone: over {part}", "手机：经由{}"),
        ("phone: no way works", "手机：没有可用的途径"),
        ("phone: request {} was carried out: {part}, over {part}", "手机：请求 {} 已执行：{}，经由{}"),
        ("phone: hears the button: {part}", "手机：收到按钮的事件：{}"),
        ("phone: {} events were lost", "手机：丢失了 {} 个事件"),
        ("phone: {part}", "手机：{}"),
        ("Over {}.", "经由 {}。"),
        ("No way works.", "没有可用的途径。"),
        ("{} events were lost.", "丢失了 {} 个事件。"),
        ("the local network", "局域网"),
        ("the lamp's access point", "灯的接入点"),
        ("the cloud", "云"),
        ("cut: the phone leaves the router's Wi-Fi", "切断：手机离开路由器的 Wi-Fi"),
        ("cut: the phone leaves the lamp's access point", "切断：手机离开灯的接入点"),
        ("cut: the phone loses its mobile network", "切断：手机失去移动网络"),
        ("cut: nothing passes on the radio", "切断：无线电上什么也传不过去"),
        ("{} requests sent, {} carried out, {} repeated, {} lost", "发送 {} 个请求，执行 {} 个，重复 {} 个，丢失 {} 个"),
        ("{} presses of the button, {} heard", "按下按钮 {} 次，收到 {} 次"),
        ("The phone has not set the lamp up in time.", "手机没有及时设置好灯。"),
        (
            "The phone has not reached the lamp over {part} in time, or a reply or an event is missing.",
            "手机没有及时经由{}联系到灯，或者缺少回答或事件。"
        ),
        (
            "The phone has not lost the lamp in time, or a reply or an event is missing.", "手机没有及时失去与灯的联系，或者缺少回答或事件。"
        ),
        ("The lamp carried out {} of {} requests.", "灯执行了 {1} 个请求中的 {0} 个。"),
        ("Requests without a reply: {}.", "没有回答的请求：{}。"),
        ("Replies with the count of another request: {}.", "带有其他请求计数的回答：{}。"),
        ("The phone heard {} of {} presses of the button.", "手机收到了 {1} 次按下中的 {0} 次。"),
        ("No reply came over: {}.", "没有回答经由：{}。"),
        ("The phone did not return to the best way.", "手机没有回到最好的途径。"),
    ]

    static let radioShowLines: [(String, String)] = [
        ("The radio has no devices.", "无线电上没有设备。"),
        ("The radio has no walls.", "无线电上没有墙。"),
        ("device", "设备"),
        ("address", "地址"),
        ("position", "位置"),
        ("platform", "平台"),
        ("loss", "丢包"),
        ("doing", "活动"),
        ("advertising", "正在广播"),
        ("scanning", "正在扫描"),
        ("connecting", "正在连接"),
        ("1 link", "1 条链路"),
        ("{} links", "{} 条链路"),
        ("nothing", "无"),
        ("wall {}", "墙 {}"),
        ("beacon {}", "信标 {}"),
        ("from ({}, {}) to ({}, {})", "从 ({}, {}) 到 ({}, {})"),
        ("joins it ({})", "加入它（{}）"),
        ("each connection is a controller", "每个连接是一个控制器"),
        ("each connection gets the packets on the air", "每个连接都会收到空中的数据包"),
        ("Ctrl-C ends it.", "Ctrl-C 结束。"),
        ("ending", "正在结束"),
        (
            "BLUETOOTH_CONTROLLER=radio selects another radio, which is running already.",
            "BLUETOOTH_CONTROLLER=radio 选择另一个已经在运行的无线电。"
        ),
        (
            "hci{}  is the kernel's adapter: BLUETOOTH_CONTROLLER=bluez:hci{} uses it through bluetoothd",
            "hci{}  是内核的适配器：BLUETOOTH_CONTROLLER=bluez:hci{} 通过 bluetoothd 使用它"
        ),
        (", the last event at {}", "，最后一个事件在 {}"),
        ("({}, seed {})", "（{}，种子 {}）"),
        ("opens the studio", "打开工作室"),
        ("If the browser shows an error, open the link above.", "如果浏览器显示错误，请打开上面的链接。"),
    ]

    static let fleetLines: [(String, String)] = [
        ("The gateway {} serves at {}.", "网关 {} 在 {} 提供服务。"),
        ("The gateway {} serves at {}, without encryption.", "网关 {} 在 {} 提供服务，不加密。"),
        (
            "{} gateways with {} devices each, one advertisement of each device in {} s: {} a second.",
            "{} 个网关，各有 {} 个设备，每个设备每 {} 秒广播一次：每秒 {} 次。"
        ),
        ("{} of {} online", "{1} 个中 {0} 个在线"),
        ("heard {}/s", "听到 {}/s"),
        ("acknowledged {}/s", "确认 {}/s"),
        ("received {}/s", "收到 {}/s"),
        ("queued {}", "排队 {}"),
        ("limited {}/s", "受限 {}/s"),
        ("skipped {}/s", "跳过 {}/s"),
        ("acknowledgement {} ms, 99 %: {} ms", "确认延迟 {} ms，99 %：{} ms"),
        ("delivery {} ms, 99 %: {} ms", "送达延迟 {} ms，99 %：{} ms"),
        ("fleet {} processors, {} MiB", "网关组 {} 个处理器，{} MiB"),
        ("broker {} processors, {} MiB", "代理服务器 {} 个处理器，{} MiB"),
        ("machine {} %", "本机 {} %"),
        ("All {} gateways were online after {} s.", "{} 个网关在 {} 秒后全部在线。"),
        (
            "{} advertisements, {} messages, {} acknowledged, {} received, {} of them again.",
            "{} 次广播，{} 条消息，确认 {} 条，收到 {} 条，其中重复 {} 条。"
        ),
        ("Nothing was lost.", "没有丢失。"),
        (
            "Lost: {} still queued, {} beyond the queues, {} refused, {} not stored, {} not received.",
            "丢失：仍在排队 {}，超出队列 {}，被拒绝 {}，没有保存 {}，没有收到 {}。"
        ),
        ("The fleet did not make {} advertisements in time: this machine is full.", "有 {} 次广播没有及时产生：本机已满负荷。"),
        ("The limits of the gateways dropped {} advertisements.", "网关的限制丢弃了 {} 次广播。"),
        ("Half and 99 in 100: {}.", "一半和 99 %：{}。"),
        ("Costs: {}.", "开销：{}。"),
        ("fleet {} KiB a gateway, {} threads", "网关组每个网关 {} KiB，{} 个线程"),
        ("{} us a message", "每条消息 {} us"),
        ("broker {} KiB a gateway", "代理服务器每个网关 {} KiB"),
        ("{} octets a message", "每条消息 {} 字节"),
        (
            "{} gateways lost the broker; the first was back after {} s, all after {} s; {} attempts to connect, at most {} in a second.",
            "{} 个网关失去了代理服务器；第一个在 {} 秒后恢复，全部在 {} 秒后；尝试连接 {} 次，一秒内最多 {} 次。"
        ),
        (
            "{} gateways lost the broker; the first was back after {} s; not all are back; {} attempts to connect, at most {} in a second.",
            "{} 个网关失去了代理服务器；第一个在 {} 秒后恢复；没有全部恢复；尝试连接 {} 次，一秒内最多 {} 次。"
        ),
        (
            "{} gateways lost the broker; not all are back; {} attempts to connect, at most {} in a second.",
            "{} 个网关失去了代理服务器；没有全部恢复；尝试连接 {} 次，一秒内最多 {} 次。"
        ),
        ("The broker followed up to {} messages a second.", "代理服务器跟得上每秒 {} 条消息。"),
        (
            "The broker followed up to {} messages a second, and no longer at {}: {part}.",
            "代理服务器跟得上每秒 {} 条消息，到 {} 条时跟不上：{}。"
        ),
        ("the one thread of the broker uses a whole processor", "代理服务器的唯一线程用满一个处理器"),
        (
            "the processors of this machine are full, and the fleet and the broker share them",
            "本机的处理器已满负荷，由网关组和代理服务器共用"
        ),
        ("the fleet does not make more", "网关组不能产生更多"),
        (
            "no processor is full: look at the disk, the network and the limits of the broker",
            "没有处理器满负荷：请查看磁盘、网络和代理服务器的限制"
        ),
        (
            "One half of {} gateways is back after {} s, 99 in 100 after {} s, all after {} s.",
            "{} 个网关中一半在 {} 秒后恢复，99 % 在 {} 秒后，全部在 {} 秒后。"
        ),
    ]
}
