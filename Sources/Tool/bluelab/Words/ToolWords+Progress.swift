/// What gateways, links, transfers and the studio report.
extension ToolWords {
    static let progressLines: [(String, String)] = [
        ("the gateway cannot start. {part}", "网关无法启动。{}"),
        ("the status cannot be served: {}", "无法提供状态：{}"),
        ("the gateway needs a broker.", "网关需要代理服务器。"),
        (
            "the name of a gateway has 1 to {} lower-case letters, digits and hyphens, as in hall-2.",
            "网关的名称由 1 至 {} 个小写字母、数字和连字符组成，例如 hall-2。"
        ),
        ("the prefix of Home Assistant is a topic of one or two levels.", "Home Assistant 的前缀是一级或两级的主题。"),
        ("--status: {part}", "--status：{}"),
        ("other machines would reach the status at {}, which has no password.", "其他机器能访问 {} 处的状态，而它没有密码。"),
        ("Connected to the broker at {}.", "已连接代理服务器 {}。"),
        ("The broker is away: {part} Trying again.", "代理服务器离线：{} 正在重试。"),
        ("The broker refused the subscription {}: {}", "代理服务器拒绝了订阅 {}：{}"),
        ("The broker refused a message: {}", "代理服务器拒绝了消息：{}"),
        ("The queue failed: {}", "队列失败：{}"),
        ("a fleet has at most {} gateways in one process.", "一个进程中最多有 {} 个网关。"),
        ("a gateway of a fleet hears at most {} devices.", "其中一个网关最多收到 {} 个设备。"),
        (
            "the devices of a fleet advertise at most 1,000,000 times in a second: give a longer --every.",
            "所有设备每秒最多广播 1,000,000 次：请加大 --every。"
        ),
        ("a fleet has 0 to 64 subscribers.", "订阅者有 0 至 64 个。"),
        ("the numbers of gateways are at most 9999999.", "网关的编号最大 9999999。"),
        (
            "the beginning of the names has 1 to 16 lower-case letters, digits and hyphens, as in hall.",
            "名称的开头由 1 至 16 个小写字母、数字和连字符组成，例如 hall。"
        ),
        (
            "{} gateways need {} file descriptors, and the limit of this process is {}.",
            "{} 个网关需要 {} 个文件描述符，而本进程的上限是 {}。"
        ),
        (
            "Raise it as root: ulimit -Hn {}, or LimitNOFILE= in a unit of systemd.",
            "请以 root 提高它：ulimit -Hn {}，或 systemd 单元中的 LimitNOFILE=。"
        ),
        ("there is no process {}.", "没有进程 {}。"),
        ("the fleet cannot start. {part}", "这组网关无法启动。{}"),
        ("the fleet needs a broker.", "这组网关需要代理服务器。"),
        ("the queues cannot be created in {}: {}.", "无法在 {} 中创建队列：{}。"),
        ("Choose another folder with --queue.", "请用 --queue 选择其他文件夹。"),
        ("the subscriber of the fleet did not get ready: {}", "这组网关的订阅者没有就绪：{}"),
        ("Look whether the broker runs, or try --subscribers 0.", "请看代理服务器是否在运行，或试 --subscribers 0。"),
        ("the fleet cannot go on: {}", "这组网关无法继续：{}"),
        ("{} of {} messages were lost or did not reach the broker.", "{1} 条消息中有 {0} 条丢失或没有到达代理服务器。"),
        (
            "The broker acknowledged {} messages that the subscriber did not get: look at its limits for queued messages.",
            "代理服务器确认了 {} 条订阅者没有收到的消息：请查看它对排队消息的限制。"
        ),
        ("Look at the limits of the queues and of the broker.", "请查看队列和代理服务器的限制。"),
        ("a gateway has at most 64 slots.", "网关最多有 64 个连接位。"),
        ("--listen: {part}", "--listen：{}"),
        ("the gateway has no Bluetooth adapter whose devices have addresses.", "网关没有能提供设备地址的蓝牙适配器。"),
        ("Tried the controller {}.", "尝试了控制器 {}。"),
        ("the gateway cannot listen: {}", "网关无法监听：{}"),
        ("Tried {}.", "尝试了 {}。"),
        (
            "Passed on {} advertisements and {} values. Dropped {} and {}, because a client read too slowly.",
            "转发了 {} 次广播和 {} 个值。因客户端读取太慢，丢弃了 {} 次和 {} 个。"
        ),
        ("--announce: other machines do not reach {}.", "--announce：其他机器不能访问 {}。"),
        ("the gateway cannot be announced: {}", "无法公布网关：{}"),
        ("Connected: {}", "已连接：{}"),
        ("Ended: {}: {}", "已结束：{}：{}"),
        ("Refused: {}: the gateway has {} clients already", "已拒绝：{}：网关已有 {} 个客户端"),
        ("The key is in {}.", "密钥在 {} 中。"),
        ("the key cannot be written: {}: {}.", "无法写入密钥：{}：{}。"),
        ("Choose a file that does not exist.", "请选择不存在的文件。"),
        ("Choose another folder, or check the file system.", "请选择其他文件夹，或检查文件系统。"),
        ("the search cannot start: {}", "无法开始查找：{}"),
        ("no gateway announces itself on the local network.", "局域网上没有公布自己的网关。"),
        ("at most 200000 gateways.", "最多 200000 个网关。"),
        ("the broker is away for at most 86400 seconds.", "代理服务器最多离线 86400 秒。"),
        ("the arguments of the operation - come from the standard input.", "操作 - 的参数来自标准输入。"),
        ("the device refused: {} ({})", "设备拒绝：{}（{}）"),
        ("the arguments are no JSON: {}", "参数不是 JSON：{}"),
        ("{} is the address for the way {}, which is not chosen", "{} 是途径 {} 的地址，而该途径没有选择"),
        ("{} of {} requests failed.", "{1} 个请求中有 {0} 个失败。"),
        ("the identifier of a device has 1 to 64 octets.", "设备的标识符有 1 至 64 字节。"),
        ("each way stands once.", "每个途径只能出现一次。"),
        (
            "the way cloud needs a broker: --broker mqtts://HOST, or --config FILE.",
            "云途径需要代理服务器：--broker mqtts://HOST 或 --config FILE。"
        ),
        (
            "--broker and --config belong to the way cloud: add --way cloud.",
            "--broker 和 --config 属于云途径：请加上 --way cloud。"
        ),
        ("the key of the device is missing.", "缺少设备的密钥。"),
        (
            "Make one with: bluelab gateway key --file FILE, then give --key-file FILE, or set BLUETOOTH_LINK_KEY.",
            "用 bluelab gateway key --file FILE 生成密钥，然后给出 --key-file FILE，或设置 BLUETOOTH_LINK_KEY。"
        ),
        ("the way cloud cannot be used. {part}", "无法使用云途径。{}"),
        ("Port {} is in use, so the page has another one.", "端口 {} 已被占用，所以页面使用另一个端口。"),
        ("The page cannot be served: {}", "无法提供页面：{}"),
        ("Tried {}, port {}.", "尝试了 {}，端口 {}。"),
        ("--channel needs a device: the central chooses the carrier.", "--channel 需要设备：传输方式由中心设备选择。"),
        ("--advertise has no effect with a device.", "指定设备时 --advertise 没有作用。"),
        ("--keep has no effect with a device.", "指定设备时 --keep 没有作用。"),
        ("--output must be a folder or the path of a file.", "--output 必须是文件夹或文件的路径。"),
        ("the transfer stopped: {} was silent for too long.", "传输停止：{} 沉默太久。"),
        ("the same command; it continues at the last stored octet.", "同样的命令；它从最后保存的字节继续。"),
        ("{} did not take {}: {part}.", "{} 没有接收 {}：{}。"),
        ("{} stopped sending {}: {part}.", "{} 停止发送 {}：{}。"),
        ("{} cannot be stored: the disk is full.", "无法保存 {}：磁盘已满。"),
        ("{} was not transferred: {part}.", "{} 没有传输：{}。"),
        ("the link to {} was lost and did not come back.", "与 {} 的链路丢失，没有恢复。"),
        ("{} has no transfer service.", "{} 没有传输服务。"),
        ("{} refused an operation: {word}.", "{} 拒绝了操作：{}。"),
        ("The device has joined {}.", "设备已加入 {}。"),
        ("Continue at {}", "请在此继续：{}"),
        ("{} attempts to connect, at most {} in a second.", "{} 次连接尝试，一秒内最多 {} 次。"),
        ("The gateway publishes below {} to {}.", "网关在 {} 之下发布到 {}。"),
        ("Health and metrics: {}", "健康状态和指标：{}"),
        ("{} packets decrypted, {} without a key.", "已解密 {} 个数据包，{} 个没有密钥。"),
        ("{} is lost. Waiting for it.", "{} 已丢失，正在等待。"),
    ]
}
