/// Help of `radio`.
extension ToolWords {
    static let radioHelp: [(String, String)] = [
        ("Run a virtual radio in real time that several programs share.", "实时运行供多个程序共享的虚拟无线电。"),
        (
            "`bluelab radio` runs a radio. Each program on it has its own simulated controller with HCI (H4), and receives the packets of the others. A program that uses CoreBluetooth needs no change:",
            "`bluelab radio` 运行一个无线电。其上的每个程序都有自己的模拟控制器，使用 HCI（H4），并收到其他程序的数据包。使用 CoreBluetooth 的程序不需要修改："
        ),
        (
            "The other commands change a running radio. The environment variables BLUETOOTH_RADIO_NAME and BLUETOOTH_RADIO_POSITION (metres, such as 1.5,0) set a program's name and position on the radio. BLUETOOTH_RADIO_ADDRESS sets its address; by default the address depends on the name and the radio's seed. BLUETOOTH_RADIO_PLATFORM gives it the values of a phone or a computer, such as pixel.",
            "其他命令改变正在运行的无线电。环境变量 BLUETOOTH_RADIO_NAME 和 BLUETOOTH_RADIO_POSITION（米，例如 1.5,0）设定程序在无线电上的名称和位置。BLUETOOTH_RADIO_ADDRESS 设定地址；默认地址取决于名称和无线电的种子。BLUETOOTH_RADIO_PLATFORM 使它有某种手机或电脑的值，例如 pixel。"
        ),
        ("Options: `bluelab help radio serve`.", "选项：`bluelab help radio serve`。"),
        ("Run a radio. This is the default command.", "运行无线电。这是默认的命令。"),
        (
            "Programs of this user join with BLUETOOTH_CONTROLLER=radio. Other programs connect to an address of --listen; each connection gets its own controller. Ctrl-C, SIGTERM and SIGHUP end the radio.",
            "此用户的程序用 BLUETOOTH_CONTROLLER=radio 加入。其他程序连接 --listen 的地址，每个连接得到自己的控制器。Ctrl-C、SIGTERM 和 SIGHUP 结束无线电。"
        ),
        (
            "The name of the radio, if several run. Programs join it with BLUETOOTH_CONTROLLER=radio:NAME.",
            "有多个无线电时的名称。程序用 BLUETOOTH_CONTROLLER=radio:NAME 加入。"
        ),
        (
            "An address to listen at: tcp:HOST:PORT (port 0 selects a free one) or unix:PATH. Repeat the option for several addresses.",
            "监听地址：tcp:HOST:PORT（端口 0 选择空闲端口）或 unix:PATH。多个地址时重复此选项。"
        ),
        (
            "The public address of the first controller at a --listen address, such as 02:00:5E:00:00:01. Further controllers at the same time get the following addresses. The first --address belongs to the first --listen, and so on.",
            "--listen 地址上第一个控制器的公共地址，例如 02:00:5E:00:00:01。同时存在的其他控制器依次得到后面的地址。第一个 --address 属于第一个 --listen，依此类推。"
        ),
        (
            "Give this machine's kernel a controller, for bluetoothd and its programs. It needs root and the module hci_vhci.",
            "给本机内核一个控制器，供 bluetoothd 和它的程序使用。需要 root 和模块 hci_vhci。"
        ),
        ("Determines all random draws of the radio.", "决定无线电的所有随机数。"),
        (
            "The distance between the controllers of two successive --listen addresses.",
            "两个相邻 --listen 地址的控制器之间的距离。"
        ),
        (
            "The speed of the radio's time: 1 is real time, 10 is ten times as fast, unlimited is as fast as possible.",
            "无线电时间的速度：1 是实时，10 是十倍速，unlimited 是尽可能快。"
        ),
        ("Print every packet on the air, decoded.", "解码并打印空中的每个数据包。"),
        (
            "Write the packets on the air to a capture for Wireshark (pcapng). With - the capture goes to the output: | wireshark -k -i -. With tcp:HOST:PORT or unix:PATH, each program that connects there gets the packets from then on.",
            "把空中的数据包写入 Wireshark 的捕获文件（pcapng）。写 - 时捕获进入标准输出：| wireshark -k -i -。写 tcp:HOST:PORT 或 unix:PATH 时，每个连接到那里的程序都会收到此后的数据包。"
        ),
        (
            "Write the HCI packets of all hosts to a capture for btmon and Wireshark (btsnoop).",
            "把所有主机的 HCI 数据包写入 btmon 和 Wireshark 的捕获文件（btsnoop）。"
        ),
        (
            "List the devices of a running radio with their positions and activities.",
            "列出正在运行的无线电上的设备，以及它们的位置和活动。"
        ),
        ("Move a device. All coordinates are in metres.", "移动设备。坐标的单位都是米。"),
        ("The name or number in the output of bluelab radio list.", "bluelab radio list 输出中的名称或编号。"),
        ("The x coordinate.", "x 坐标。"),
        ("The y coordinate.", "y 坐标。"),
        ("The height.", "高度。"),
        ("Set the packet loss of one device or of all devices.", "设定一个设备或所有设备的丢包率。"),
        (
            "The name or number in the output of bluelab radio list, or all.",
            "bluelab radio list 输出中的名称或编号，或 all。"
        ),
        ("The packet loss in percent, 0 to 100.", "丢包率，百分数，0 至 100。"),
        ("Add, remove and list walls that attenuate signals.", "添加、移除和列出削弱信号的墙。"),
        (
            "Add a wall of unlimited height between two points and print its number.",
            "在两点之间添加高度不限的墙，并打印它的编号。"
        ),
        ("The x coordinate of the start in metres.", "起点的 x 坐标，米。"),
        ("The y coordinate of the start in metres.", "起点的 y 坐标，米。"),
        ("The x coordinate of the end in metres.", "终点的 x 坐标，米。"),
        ("The y coordinate of the end in metres.", "终点的 y 坐标，米。"),
        (
            "The attenuation in dB: about 3 for plasterboard, 10 for brick, 20 for concrete.",
            "衰减，dB：石膏板约 3，砖墙 10，混凝土 20。"
        ),
        ("Remove a wall.", "移除墙。"),
        ("The number in the output of bluelab radio wall list.", "bluelab radio wall list 输出中的编号。"),
        ("List the walls.", "列出墙。"),
        ("Add and remove simulated beacons and other advertisers.", "添加和移除模拟的信标及其他广播者。"),
        (
            "bluelab radio list shows the beacons. The commands move, loss and drop apply to them as well.",
            "bluelab radio list 显示信标。命令 move、loss 和 drop 对它们同样有效。"
        ),
        ("Add a beacon and print its address.", "添加信标，并打印它的地址。"),
        (
            "The advertising data consists of --data and the structures of the other options, in the order of this list.",
            "广播数据由 --data 和其他选项的结构组成，按此列表的顺序。"
        ),
        ("The name on the radio. It is not advertised; see --local-name.", "无线电上的名称。它不会被广播；见 --local-name。"),
        (
            "connectable (ADV_IND), scannable (ADV_SCAN_IND), nonconnectable (ADV_NONCONN_IND) or directed (ADV_DIRECT_IND).",
            "connectable（ADV_IND）、scannable（ADV_SCAN_IND）、nonconnectable（ADV_NONCONN_IND）或 directed（ADV_DIRECT_IND）。"
        ),
        ("Raw advertising data.", "原始广播数据。"),
        ("The Flags structure, such as 06.", "Flags 结构，例如 06。"),
        ("The UUID of a service. Repeat the option for several services.", "服务的 UUID。多个服务时重复此选项。"),
        ("Service data.", "服务数据。"),
        ("Manufacturer data with its company identifier.", "带公司标识符的厂商数据。"),
        ("The complete local name.", "完整的本地名称。"),
        ("Raw scan response data.", "原始扫描响应数据。"),
        ("The advertising interval, 20 to 10240 ms.", "广播间隔，20 至 10240 ms。"),
        ("The public address. Default: a static random address.", "公共地址。默认是静态随机地址。"),
        ("The random address.", "随机地址。"),
        ("The public target address of a directed advertiser.", "定向广播者的公共目标地址。"),
        ("The random target address of a directed advertiser.", "定向广播者的随机目标地址。"),
        ("The transmit power, -127 to 20.", "发射功率，-127 至 20。"),
        ("The position in metres.", "位置，米。"),
        ("Remove a beacon.", "移除信标。"),
        (
            "Disconnect a program from its controller, like the removal of a USB adapter.",
            "断开程序与它的控制器，如同拔下 USB 适配器。"
        ),
    ]
}
