/// Help of `gateway`.
extension ToolWords {
    static let gatewayHelp: [(String, String)] = [
        (
            "Share this machine's Bluetooth radio over the network, as an ESPHome Bluetooth proxy, or through an MQTT broker.",
            "通过网络共享本机的蓝牙无线功能：作为 ESPHome 蓝牙代理，或通过 MQTT 代理服务器。"
        ),
        (
            "Home Assistant and other clients of ESPHome's native API use the radio: advertisements, connections, GATT and pairing.",
            "Home Assistant 和其他使用 ESPHome 原生 API 的客户端可以使用：广播、连接、GATT 和配对。"
        ),
        (
            "Without a key the gateway listens only at addresses of this machine. The key comes from a file or from the environment variable BLUETOOTH_GATEWAY_KEY, never from the command line, which other users of the machine can read.",
            "没有密钥时，网关只监听本机的地址。密钥来自文件或环境变量 BLUETOOTH_GATEWAY_KEY，从不来自命令行，因为本机其他用户能看到命令行。"
        ),
        (
            "Options: `bluelab help gateway serve`. Documentation/Gateway.md describes the protocol's limits.",
            "选项：`bluelab help gateway serve`。Documentation/Gateway.md 说明协议的限制。"
        ),
        ("Serve the radio until Ctrl-C.", "提供无线功能，直到 Ctrl-C。"),
        (
            "Where to listen: tcp:HOST:PORT or unix:PATH. Port 0 selects a free one. An address that other machines reach needs a key.",
            "监听的地址：tcp:HOST:PORT 或 unix:PATH。端口 0 选择空闲端口。其他机器能访问的地址需要密钥。"
        ),
        (
            "The name of the gateway: lower-case letters, digits and hyphens. Without it the name of the machine.",
            "网关的名称：小写字母、数字和连字符。不指定时是机器的名称。"
        ),
        ("The most devices that all clients together connect to.", "所有客户端合计最多连接的设备数。"),
        (
            "A file with the key, which only its owner can read. Otherwise BLUETOOTH_GATEWAY_KEY.",
            "只有所有者可读的密钥文件。否则使用 BLUETOOTH_GATEWAY_KEY。"
        ),
        (
            "Announce the gateway on the local network by multicast DNS. Without a choice only a gateway that other machines reach.",
            "用组播 DNS 在局域网上公布网关。不选择时，只公布其他机器能访问的网关。"
        ),
        ("List the gateways that announce themselves on the local network.", "列出在局域网上公布自己的网关。"),
        (
            "The list contains every device with ESPHome's native API. Not every one is a Bluetooth proxy.",
            "列表包括每个使用 ESPHome 原生 API 的设备。并非每个都是蓝牙代理。"
        ),
        ("Print JSON lines.", "打印 JSON 行。"),
        (
            "Publish what the radio hears to an MQTT broker, and take commands from it.",
            "把收到的无线信号发布到 MQTT 代理服务器，并执行来自它的命令。"
        ),
        (
            "The gateway publishes advertisements, and while the broker is away it keeps them in a queue on the disk. With --commands it connects to devices, reads, writes and subscribes as clients of the broker ask.",
            "网关发布广播；代理服务器离线时，把广播保存在磁盘上的队列中。加 --commands 后，它按代理服务器客户端的要求连接设备、读取、写入和订阅。"
        ),
        (
            "The user comes from the setting user or the environment variable BLUETOOTH_CLOUD_USER, the password from the file that the setting passwordFile names or from BLUETOOTH_CLOUD_PASSWORD. Neither comes from the command line, which other users of the machine can read. Documentation/Cloud.md describes the topics and the settings.",
            "用户来自设置 user 或环境变量 BLUETOOTH_CLOUD_USER，密码来自设置 passwordFile 指定的文件或 BLUETOOTH_CLOUD_PASSWORD。两者都不来自命令行，因为本机其他用户能看到命令行。Documentation/Cloud.md 说明主题和设置。"
        ),
        ("The name of the gateway in topics. Without it the name of the machine.", "主题中网关的名称。不指定时是机器的名称。"),
        ("Carry out commands of the broker's clients.", "执行代理服务器客户端的命令。"),
        (
            "The folder of the queue. Without it a folder below the user's state folder.",
            "队列的文件夹。不指定时是用户状态文件夹下的文件夹。"
        ),
        (
            "Serve /health and /metrics by HTTP, as at tcp:127.0.0.1:9464. Only programs of this machine reach it.",
            "通过 HTTP 提供 /health 和 /metrics，例如在 tcp:127.0.0.1:9464。只有本机的程序能访问。"
        ),
        ("Load an MQTT broker with many gateways, and measure what it does.", "用许多网关给 MQTT 代理服务器加负载，并测量结果。"),
        (
            "The settings of the file are those of all gateways. Each gateway begins with another broker of a cluster.",
            "文件中的设置对所有网关有效。每个网关从集群中的另一个代理服务器开始。"
        ),
        (
            "Only the radio is simulated: each gateway has its own connection, last will, queue and limits, as `bluelab gateway cloud` has. A subscriber checks that every message arrives. With --ramp the rate grows until the broker no longer follows.",
            "只有无线信号是模拟的：每个网关都有自己的连接、遗嘱、队列和限制，同 `bluelab gateway cloud`。一个订阅者检查每条消息是否到达。加 --ramp 后速率不断提高，直到代理服务器跟不上。"
        ),
        (
            "Ctrl-C ends the fleet in order: the queues become empty, and each gateway says that it is offline. Restart the broker meanwhile to see how the fleet returns. Documentation/Fleet.md has the arithmetic for larger fleets.",
            "Ctrl-C 有序地结束：队列清空，每个网关报告自己离线。其间可以重新启动代理服务器，观察网关如何恢复。Documentation/Fleet.md 有更大规模的计算。"
        ),
        ("The number of gateways.", "网关的数量。"),
        ("The devices that each gateway hears.", "每个网关收到的设备数。"),
        ("The time between two advertisements of one device.", "一个设备两次广播之间的时间。"),
        ("End after this time. Without it, Ctrl-C ends the fleet.", "到此时间后结束。不指定时由 Ctrl-C 结束。"),
        (
            "Raise the rate by a half again and again, until the broker no longer follows.",
            "一次次把速率提高一半，直到代理服务器跟不上。"
        ),
        ("The time of each rate of --ramp.", "--ramp 中每个速率持续的时间。"),
        ("The time between two reports.", "两次报告之间的时间。"),
        (
            "The clients that receive the messages and share them if there are several; 0 for none.",
            "接收消息的客户端数，有多个时分担消息；0 表示没有。"
        ),
        ("The gateways that begin to connect in a second.", "每秒开始连接的网关数。"),
        (
            "Where the fleet makes the folder of its queues, which it removes at its end. Without it /dev/shm, in memory.",
            "存放队列的文件夹建在哪里，结束时会删除。不指定时是内存中的 /dev/shm。"
        ),
        ("The limit of each gateway's queue in KiB.", "每个网关队列的上限，KiB。"),
        (
            "A process of the broker on this machine, whose processor time is measured. Can be repeated.",
            "本机上代理服务器的进程，测量它的处理器时间。可以重复。"
        ),
        ("The beginning of the gateways' names.", "网关名称的开头。"),
        ("The number of the first gateway, for a fleet of several processes.", "第一个网关的编号，用于多个进程。"),
        (
            "Compute how many gateways return to a broker that was away, in virtual time.",
            "在虚拟时间中计算有多少网关回到曾经离线的代理服务器。"
        ),
        (
            "Each gateway waits between its attempts as `bluelab gateway cloud` does: 1 s, doubled up to 60 s, with a random half. The broker admits a number of connections in a second and refuses the others. No broker is needed.",
            "每个网关在两次尝试之间的等待同 `bluelab gateway cloud`：1 秒，加倍至 60 秒，其中一半随机。代理服务器每秒接纳一定数量的连接，拒绝其余的。不需要代理服务器。"
        ),
        ("How long the broker is away.", "代理服务器离线多久。"),
        ("The connections that the broker admits in a second.", "代理服务器每秒接纳的连接数。"),
        (
            "The brokers of the cluster, which are away together. A gateway tries them in turn, with short pauses.",
            "集群中同时离线的代理服务器数。网关依次尝试它们，中间有短暂停顿。"
        ),
        ("The seed of the random pauses.", "随机停顿的种子。"),
        ("Make a key for a gateway and its clients.", "为网关和它的客户端生成密钥。"),
        (
            "The key is 32 random octets in base64, as in the configuration of ESPHome. Home Assistant asks for it when it adds the gateway.",
            "密钥是 32 个随机字节的 base64，同 ESPHome 的配置。Home Assistant 添加网关时会要求输入它。"
        ),
        (
            "Write the key to a new file that only its owner can read. Without it the key is printed.",
            "把密钥写入只有所有者可读的新文件。不指定时打印密钥。"
        ),
    ]
}
