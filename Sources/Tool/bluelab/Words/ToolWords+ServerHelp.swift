/// Help of the commands that are a device or reach one.
extension ToolWords {
    static let serverHelp: [(String, String)] = [
        ("Be a device: advertise and serve what a profile describes.", "充当设备：按配置文件广播并提供服务。"),
        (
            "Prints each read, write and subscription, until Ctrl-C. A changed file replaces the profile without a restart; a file with errors does not. Pairings ask on the terminal, as in `bluelab pair`. Without a terminal they need no user, and a pairing that would replace the keys of a bond is refused unless --yes is given.",
            "打印每次读取、写入和订阅，直到 Ctrl-C。文件改变后，新的配置文件立即生效，不必重新启动；有错误的文件不会生效。配对在终端上询问，同 `bluelab pair`。没有终端时配对不需要用户；会替换已有绑定密钥的配对将被拒绝，除非加 --yes。"
        ),
        (
            "All pairings of a run use the passkey of --passkey or --passkey-file. With Secure Connections, each failed attempt tells the other device one more bit of it, so choose another passkey for each run.",
            "一次运行中的所有配对使用 --passkey 或 --passkey-file 的配对码。使用安全连接时，每次失败的尝试会让对方多知道一位，所以每次运行请换一个配对码。"
        ),
        (
            "Documentation/Profiles.md describes the format of profiles. `bluelab clone DEVICE` writes the profile of a real device.",
            "Documentation/Profiles.md 说明配置文件的格式。`bluelab clone DEVICE` 写出真实设备的配置文件。"
        ),
        (
            "A YAML file, - for the standard input, or the name of a shipped profile.",
            "YAML 文件，- 表示标准输入，或者自带配置文件的名称。"
        ),
        ("List the shipped profiles.", "列出自带的配置文件。"),
        ("Print the text of a shipped profile, as a start for another one.", "打印自带配置文件的内容，作为编写新文件的起点。"),
        ("Check the file and print its errors, without serving it.", "检查文件并打印其中的错误，不提供服务。"),
        ("Also print each notification and indication.", "同时打印每个通知和指示。"),
        ("The advertised name instead of the profile's.", "用此名称广播，代替配置文件中的名称。"),
        ("End after this time.", "到此时间后结束。"),
        ("Accept every question of a pairing, also to replace the keys of a bond.", "接受配对的每个问题，包括替换绑定的密钥。"),
        (
            "The passkey that the device displays, or has printed on it; - reads it from the standard input. The process list shows it.",
            "设备显示或印在机身上的配对码；- 表示从标准输入读取。进程列表会显示它。"
        ),
        ("A file whose first line is the passkey.", "第一行是配对码的文件。"),
        (
            "Open a page in the browser that shows devices, the radio between them and every packet.",
            "在浏览器中打开页面，显示设备、设备之间的无线信号和每个数据包。"
        ),
        (
            "The page runs on a virtual radio and needs no hardware. Only programs of this machine reach it, and only with the token in its link, which each run makes anew. An open page connects again when the command is restarted at the same port. A browser in a sandbox may be unable to read the file that leads to the page: open the printed link there. Ctrl-C ends the command.",
            "页面在虚拟无线电上运行，不需要硬件。只有本机的程序能访问它，而且需要链接中的令牌，每次运行都会换新的令牌。命令在同一端口重新启动后，已打开的页面会重新连接。沙盒中的浏览器可能无法读取指向页面的文件：请在浏览器中打开打印出的链接。Ctrl-C 结束命令。"
        ),
        (
            "The port of the page; 0 selects a free one. Without it 8420, or a free one if that is in use.",
            "页面的端口；0 选择空闲端口。不指定时是 8420，若被占用则选空闲端口。"
        ),
        (
            "The address at which the page is reached. One that other machines reach needs --certificate and --key.",
            "访问页面的地址。其他机器能访问的地址需要 --certificate 和 --key。"
        ),
        ("Use TLS: a PEM file with the certificate of this machine.", "使用 TLS：含有本机证书的 PEM 文件。"),
        ("A PEM file with the key of the certificate, without a passphrase.", "含有证书密钥的 PEM 文件，不带密码短语。"),
        ("The seed of the virtual radio. Runs with equal seeds are equal.", "虚拟无线电的种子。种子相同的运行完全相同。"),
        (
            "A controller that the explorer uses beside the virtual radio, as in BLUETOOTH_CONTROLLER: bluez, hci0, radio and others; bluelab help adapters lists them.",
            "除虚拟无线电外，探索器所用的控制器，写法同 BLUETOOTH_CONTROLLER：bluez、hci0、radio 等；bluelab help adapters 列出全部写法。"
        ),
        ("The scene that the room begins with.", "房间开始时的场景。"),
        ("The language of the page; without it that of the browser.", "页面的语言；不指定时是浏览器的语言。"),
        (
            "Replace the key with which open pages connect again: they need the new link.",
            "更换已打开页面重新连接所用的密钥：它们需要新的链接。"
        ),
        ("Open the page in the browser.", "在浏览器中打开页面。"),
        ("Print the link as JSON.", "以 JSON 打印链接。"),
        (
            "Serve the page's files from a folder instead of the built-in ones, for work on the page.",
            "从文件夹提供页面的文件，代替内置的文件，用于开发页面。"
        ),
        ("Write the profile of a real device, for `bluelab serve`.", "写出真实设备的配置文件，供 `bluelab serve` 使用。"),
        (
            "Connects, reads all values and descriptors, and prints a profile with what the device advertises and serves. A value that the device refuses is a comment in the profile.",
            "连接设备，读取所有的值和描述符，并打印配置文件，内容是设备的广播和服务。设备拒绝读取的值在配置文件中是注释。"
        ),
        ("Write the profile to this file.", "把配置文件写入此文件。"),
        ("Send or receive a file, with flow control, a digest and resumption.", "发送或接收文件，带流量控制、摘要和断点续传。"),
        (
            "One end publishes the transfer service; the other end names it and connects. Either end sends. Documentation/Transfer.md describes the protocol, and the library BLETransfer implements it for programs.",
            "一端发布传输服务，另一端指定它并连接。任何一端都可以发送。Documentation/Transfer.md 说明协议，库 BLETransfer 为程序实现了它。"
        ),
        ("Send a file.", "发送文件。"),
        (
            "Sends to a device that runs `bluelab transfer receive` or the library's receiver. Without a device the command publishes the service and sends to the first central that subscribes.",
            "发送给运行 `bluelab transfer receive` 或库中接收器的设备。不指定设备时，命令发布服务，并发送给第一个订阅的中心设备。"
        ),
        (
            "Use an L2CAP channel instead of characteristics. Only with a device: the central chooses.",
            "使用 L2CAP 通道代替特征。只能在指定设备时使用：由中心设备选择。"
        ),
        ("The advertised name of this end. Only without a device.", "本端广播的名称。只能在不指定设备时使用。"),
        ("The time limit of the search for the device.", "查找设备的时限。"),
        ("The time for which a lost device may be away.", "设备可以离开的时间。"),
        ("The file.", "文件。"),
        (
            "The device: its name, its identifier, or a part of either. Without it, this end advertises.",
            "设备：名称、标识符或其中一部分。不指定时由本端广播。"
        ),
        ("The name that the receiver gets; by default that of the file.", "接收方得到的名称；默认是文件的名称。"),
        ("Receive a file.", "接收文件。"),
        (
            "Publishes the transfer service and waits for a sender, or connects to a device that sends. The octets go to a partial file beside the target, so another run continues after an interruption; the file gets its name when its digest matches.",
            "发布传输服务并等待发送方，或连接发送文件的设备。数据写入目标旁的临时文件，因此中断后再次运行会继续；摘要相符后文件才得到它的名称。"
        ),
        ("The folder of the received file, or the path of the file.", "存放文件的文件夹，或文件的路径。"),
        ("Replace a file of the same name.", "替换同名的文件。"),
        ("Wait for further files after the first. Only without a device.", "收到第一个文件后继续等待。只能在不指定设备时使用。"),
        ("Refuse files with more octets.", "拒绝字节数更多的文件。"),
        (
            "Give a device the credentials of a Wi-Fi network, by Improv Wi-Fi.",
            "通过 Improv Wi-Fi 把 Wi-Fi 网络的凭据交给设备。"
        ),
        (
            "Finds the first device with the Improv service, or the one with the name. The password comes from a file, from the environment variable BLUETOOTH_WIFI_PASSWORD, or from a prompt; never from the command line, which other users of the machine can read. Bluetooth carries it without encryption: provision a device where no stranger is near.",
            "查找第一个带 Improv 服务的设备，或指定名称的设备。密码来自文件、环境变量 BLUETOOTH_WIFI_PASSWORD 或提示输入；从不来自命令行，因为本机其他用户能看到命令行。蓝牙传送密码时不加密：请在没有陌生人的地方进行。"
        ),
        ("The name that the device advertises.", "设备广播的名称。"),
        ("The name of the network: 1 to 32 octets.", "网络的名称：1 至 32 字节。"),
        (
            "A file with the password that only you can read; an empty one for an open network. Otherwise BLUETOOTH_WIFI_PASSWORD, or a prompt.",
            "只有本人可读的密码文件；开放网络用空文件。否则使用 BLUETOOTH_WIFI_PASSWORD 或提示输入。"
        ),
        ("Tell the device to show which one it is, such as with a light.", "让设备表明是哪一个，例如亮灯。"),
        ("List the networks that the device sees.", "列出设备看到的网络。"),
        ("The time limit of the search, and of each answer.", "查找和每次回答的时限。"),
        (
            "Reach a device over the best way that works: the local network, its own access point, Bluetooth, or the cloud.",
            "用可行的最佳途径访问设备：局域网、设备自己的接入点、蓝牙或云。"
        ),
        (
            "The device carries out each request once. The key comes from a file or from the environment variable BLUETOOTH_LINK_KEY, never from the command line, which other users of the machine can read. The way cloud needs an MQTT broker; its user and password come as those of bluelab gateway cloud. Documentation/DeviceLink.md describes the protocol and the settings.",
            "设备把每个请求恰好执行一次。密钥来自文件或环境变量 BLUETOOTH_LINK_KEY，从不来自命令行，因为本机其他用户能看到命令行。云途径需要 MQTT 代理服务器，其用户和密码的给法同 bluelab gateway cloud。Documentation/DeviceLink.md 说明协议和设置。"
        ),
        ("Serve a simulated device until Ctrl-C.", "提供一个模拟设备，直到 Ctrl-C。"),
        (
            "The device keeps a state, an object with at most 32 members. Operations: `get` returns it, `set` with an object changes members and sends the event `changed` to all clients, `echo` returns its arguments.",
            "设备保存一个状态，即最多 32 个成员的对象。操作：`get` 返回状态，`set` 加对象会修改成员并向所有客户端发送事件 `changed`，`echo` 返回它的参数。"
        ),
        ("The identifier of the device: 1 to 64 octets.", "设备的标识符：1 至 64 字节。"),
        (
            "A file with the key, which only its owner can read. Otherwise BLUETOOTH_LINK_KEY.",
            "只有所有者可读的密钥文件。否则使用 BLUETOOTH_LINK_KEY。"
        ),
        (
            "A way, the best one first: network, direct, http, bluetooth or cloud. Several are possible. Without it network, then bluetooth, then cloud if there is a broker.",
            "途径，最好的在前：network、direct、http、bluetooth 或 cloud。可以有多个。不指定时依次是 network、bluetooth，有代理服务器时还有 cloud。"
        ),
        (
            "A network interface to find or announce the device on. Several are possible. Without it all that can multicast.",
            "查找或公布设备所用的网络接口。可以有多个。不指定时是所有能组播的接口。"
        ),
        (
            "The broker: mqtt://HOST[:PORT], or mqtts://HOST[:PORT] with TLS. Give the option again for each further broker of a cluster.",
            "代理服务器：mqtt://HOST[:PORT]，或使用 TLS 的 mqtts://HOST[:PORT]。集群中每多一个就再写一次此选项。"
        ),
        ("A YAML file with settings. Options override it.", "含有设置的 YAML 文件。命令行选项优先。"),
        ("Where the way network listens. Port 0 selects a free one.", "network 途径的监听地址。端口 0 选择空闲端口。"),
        ("Where the way direct listens: an IPv4 address and a port.", "direct 途径的监听地址：IPv4 地址和端口。"),
        ("Where the way http listens: an IPv4 address and a port.", "http 途径的监听地址：IPv4 地址和端口。"),
        ("Announce the device by multicast DNS.", "用组播 DNS 公布设备。"),
        ("Send a device one request or many, and print the results.", "向设备发送一个或多个请求，并打印结果。"),
        (
            "The message of a failure says whether the device can have carried out the request. With the operation - each line of the standard input is a request: an operation, and its arguments after a space. The device carries them out in order.",
            "失败的信息会说明设备是否可能已执行请求。操作写 - 时，标准输入的每一行是一个请求：操作，空格，参数。设备按顺序执行。"
        ),
        (
            "The operation: 1 to 64 octets; - for requests from the standard input.",
            "操作：1 至 64 字节；- 表示请求来自标准输入。"
        ),
        ("The arguments, as JSON.", "参数，JSON 格式。"),
        (
            "The address of the device for the way network. Without it the device is looked for.",
            "network 途径中设备的地址。不指定时会查找设备。"
        ),
        (
            "The IPv4 address of the device for the way direct. Without it the gateway of the default route.",
            "direct 途径中设备的 IPv4 地址。不指定时是默认路由的网关。"
        ),
        (
            "The IPv4 address of the device for the way http. Without it the gateway of the default route.",
            "http 途径中设备的 IPv4 地址。不指定时是默认路由的网关。"
        ),
        ("The time limit of the request.", "请求的时限。"),
        (
            "Print the events of a device, and the ways that reach it, until Ctrl-C.",
            "打印设备的事件和能到达它的途径，直到 Ctrl-C。"
        ),
        ("Send beacons, and watch those in range.", "发送信标，并观察范围内的信标。"),
        (
            "The formats are iBeacon, Eddystone (UID, URL, TLM, EID) and AltBeacon.",
            "格式有 iBeacon、Eddystone（UID、URL、TLM、EID）和 AltBeacon。"
        ),
        ("Advertise a beacon until Ctrl-C.", "广播信标，直到 Ctrl-C。"),
        (
            "Several frames take turns, as Eddystone beacons do with their telemetry. With --extended each has an advertising set of its own, and all are sent at once.",
            "多个帧轮流发送，同带遥测的 Eddystone 信标一样。使用 --extended 时每个帧有自己的广播集，同时发送。"
        ),
        (
            "Send extended packets, with their data on this PHY: 1m, 2m or coded (long range). Devices without extended advertising do not hear them.",
            "发送扩展广播包，数据使用此 PHY：1m、2m 或 coded（远距离）。没有扩展广播的设备收不到。"
        ),
        ("An iBeacon: proximity UUID, major and minor number.", "iBeacon：邻近 UUID、主编号和次编号。"),
        (
            "An AltBeacon: company identifier and 20 octets of beacon identifier, in hexadecimal digits.",
            "AltBeacon：公司标识符和 20 字节的信标标识符，十六进制。"
        ),
        (
            "An Eddystone-UID frame: a namespace of 10 octets and an instance of 6, in hexadecimal digits.",
            "Eddystone-UID 帧：10 字节的命名空间和 6 字节的实例，十六进制。"
        ),
        ("An Eddystone-URL frame: up to 17 octets after compression.", "Eddystone-URL 帧：压缩后最多 17 字节。"),
        (
            "An Eddystone-TLM frame: battery voltage in millivolts and temperature in degrees Celsius, such as 3000:21.5. The number of advertisements and the uptime count from the start of the command.",
            "Eddystone-TLM 帧：以毫伏为单位的电池电压和摄氏温度，例如 3000:21.5。广播数和运行时间从命令开始时计算。"
        ),
        ("An Eddystone-EID frame: 8 octets in hexadecimal digits.", "Eddystone-EID 帧：8 字节，十六进制。"),
        (
            "The signal strength that receivers measure at 1 m, -127 to 20. Eddystone frames carry the value for 0 m, which is 41 dB higher.",
            "接收方在 1 m 处测得的信号强度，-127 至 20。Eddystone 帧携带 0 m 处的值，比它高 41 dB。"
        ),
        ("The time between two advertisements, 20 to 10240 ms.", "两次广播之间的时间，20 至 10240 ms。"),
        ("The time until the next of several frames.", "多个帧时换到下一帧的时间。"),
        ("Stop after this time. Without it the beacon runs until Ctrl-C.", "到此时间后停止。不指定时一直广播到 Ctrl-C。"),
        (
            "List beacons with their distance, and report when this machine enters and leaves regions.",
            "列出信标和它们的距离，并报告本机进入和离开区域。"
        ),
        (
            "The distance follows from the measured power that a beacon advertises and from the smoothed signal strength. Walls and bodies change it by a factor of two and more.",
            "距离由信标广播的测量功率和平滑后的信号强度算出。墙和人体会使它相差一倍以上。"
        ),
        (
            "A region: all iBeacons of a UUID, of one of its groups, or a single one. Repeat the option for several regions. With a region only its beacons are listed.",
            "区域：一个 UUID 的所有 iBeacon、其中一组或单独一个。多个区域时重复此选项。指定区域后只列出其中的信标。"
        ),
        ("The time without an advertisement after which a region is left.", "多长时间没有广播就算离开区域。"),
        ("The exponent of the path loss: 2 in free space, up to 4 indoors.", "路径损耗指数：自由空间是 2，室内最高 4。"),
        ("The time between two lines of one beacon.", "同一信标两行之间的时间。"),
        ("Stop after this time. Without it the command runs until Ctrl-C.", "到此时间后停止。不指定时一直运行到 Ctrl-C。"),
        ("Stop after this number of lines of beacons.", "打印此数量的信标行后停止。"),
    ]
}
