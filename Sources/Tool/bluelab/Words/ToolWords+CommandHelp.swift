/// Help of the tool, the demo, the adapters, the recordings and captures.
extension ToolWords {
    static let commandHelp: [(String, String)] = [
        ("Tools for Bluetooth LE: a virtual radio, and a client for devices.", "低功耗蓝牙工具：虚拟无线电，以及连接设备的客户端。"),
        (
            "`bluelab demo` needs no hardware: it connects a phone to a wristband on a virtual radio. Other programs can join such a radio, also from other computers: see `bluelab help radio`.",
            "`bluelab demo` 不需要硬件：它在虚拟无线电上让一部手机连接一个手环。其他程序（也可以在其他电脑上）能加入这样的无线电：见 `bluelab help radio`。"
        ),
        (
            "radio, studio and gateway serve until a signal, such as Ctrl-C, and then end with the exit code 0.",
            "radio、studio 和 gateway 一直服务到收到 Ctrl-C 等信号为止，然后以退出码 0 结束。"
        ),
        ("Run a phone and a device that need no hardware: a wristband, or a lamp.", "运行不需要硬件的手机和设备：手环或灯。"),
        ("Options of the first: `bluelab help demo wristband`.", "手环演示的选项：`bluelab help demo wristband`。"),
        (
            "Run a phone and a wristband on a virtual radio, in twenty-three steps. This is the default demo.",
            "在虚拟无线电上运行手机和手环，共二十三步。这是默认的演示。"
        ),
        (
            "Both are ordinary programs that use CoreBluetooth; their source is in Examples/ExamplePrograms. Each one has its own simulated controller. The run takes about 15 s of virtual time and a fraction of a second of real time. The exit code is 0 only if all twenty-three steps took place.",
            "两者都是使用 CoreBluetooth 的普通程序，源代码在 Examples/ExamplePrograms。每个程序都有自己的模拟控制器。运行需要约 15 秒虚拟时间，实际不到一秒。只有二十三步全部发生，退出码才是 0。"
        ),
        (
            "Set a lamp up over Bluetooth, then switch it over four ways while they are cut one after the other.",
            "通过蓝牙设置一盏灯，然后用四种途径开关它，同时逐一切断这些途径。"
        ),
        (
            "Root gets three network namespaces with real sockets: the lamp, the phone, and the house with the router. Otherwise, and with --one-process, everything is in this process and in virtual time. The first line says which. Both programs use the public API only; their source is in Examples/LampPrograms. Documentation/Lamp.md explains the story. The exit code is 0 only if the lamp carried out each request once, the phone heard each press of the button, and each way was used.",
            "root 用户得到三个带真实套接字的网络命名空间：灯、手机，以及有路由器的家。否则（或使用 --one-process 时）一切都在本进程和虚拟时间中进行。第一行说明是哪一种。两个程序只使用公开的 API，源代码在 Examples/LampPrograms。Documentation/Lamp.md 讲解整个过程。只有灯把每个请求恰好执行一次、手机收到每次按键、每种途径都用过，退出码才是 0。"
        ),
        ("List the Bluetooth adapters of this machine. Needs no privileges.", "列出本机的蓝牙适配器。不需要特权。"),
        (
            "A program uses the first adapter: through bluetoothd if that runs, otherwise directly. BLUETOOTH_CONTROLLER or the option --controller names another controller:",
            "程序使用第一个适配器：bluetoothd 正在运行时通过它，否则直接使用。BLUETOOTH_CONTROLLER 或选项 --controller 指定其他控制器："
        ),
        (
            "  bluez                the first adapter of bluetoothd",
            "  bluez                bluetoothd 的第一个适配器"
        ),
        ("  bluez:hci1           another adapter of bluetoothd", "  bluez:hci1           bluetoothd 的其他适配器"),
        (
            "  hci1                 an adapter that the program takes from the kernel",
            "  hci1                 程序从内核取得的适配器"
        ),
        (
            "  radio, radio:NAME    the virtual radio that `bluelab radio` runs",
            "  radio, radio:NAME    `bluelab radio` 运行的虚拟无线电"
        ),
        ("  virtual              a virtual radio inside the program", "  virtual              程序内部的虚拟无线电"),
        (
            "  gateway:HOST:PORT    the radio of a gateway; BLUETOOTH_GATEWAY_KEY has its key",
            "  gateway:HOST:PORT    网关的无线电；密钥在 BLUETOOTH_GATEWAY_KEY 中"
        ),
        ("  gateway              the only gateway of the local network", "  gateway              局域网中唯一的网关"),
        ("  tcp:HOST:PORT        a controller that speaks H4 there", "  tcp:HOST:PORT        在该处使用 H4 的控制器"),
        ("  unix:PATH            the same over a Unix socket", "  unix:PATH            同上，通过 Unix 套接字"),
        ("  serial:DEVICE@SPEED  the same over a serial port", "  serial:DEVICE@SPEED  同上，通过串口"),
        (
            "CONTROLLER is the choice that fits an adapter: bluetoothd's if that runs. STATE is down (available), up (in use by the kernel and bluetoothd), taken (in use by one program), unknown, or switched off, with the command that switches it on. `bluelab doctor` checks everything that a program needs.",
            "控制器一列是适合该适配器的选择：bluetoothd 正在运行时是它的写法。状态有：空闲（可用）、使用中（内核和 bluetoothd 在用）、被占用（一个程序在用）、未知，或已关闭并附上打开它的命令。`bluelab doctor` 检查程序需要的一切。"
        ),
        (
            "With bluez, a program needs no privileges and works beside other programs. With hci1, a program uses the adapter exclusively, which needs this privilege: sudo setcap 'cap_net_admin,cap_net_raw+eip' PROGRAM",
            "使用 bluez 时，程序不需要特权，并能与其他程序同时工作。使用 hci1 时，程序独占适配器，需要这项权限：sudo setcap 'cap_net_admin,cap_net_raw+eip' PROGRAM"
        ),
        (
            "Check whether programs can use the selected controller, and say what to do if not.",
            "检查程序能否使用所选的控制器；不能时说明该怎么做。"
        ),
        (
            "Says which way to the radio fits this machine: bluez (an adapter of bluetoothd, without rights and beside other programs), hci0 (an adapter that the program takes from the kernel, which needs rights), or none.",
            "说明哪种方式适合本机：bluez（bluetoothd 的适配器，不需要权限，可与其他程序同时使用）、hci0（程序从内核取得的适配器，需要权限），或没有。"
        ),
        (
            "Checks the controller that BLUETOOTH_CONTROLLER selects, the kernel, the adapters and their drivers, the radio switch, the capabilities of this program, bluetoothd and other programs, the folder of the store, and virtual radios. It changes nothing. The exit code is 0 if the controller is usable, otherwise 3. Needs no privileges.",
            "检查 BLUETOOTH_CONTROLLER 选择的控制器、内核、适配器和驱动、无线开关、本程序的权限、bluetoothd 和其他程序、存储文件夹，以及虚拟无线电。它不改变任何东西。控制器可用时退出码是 0，否则是 3。不需要特权。"
        ),
        (
            "Run a program and record the packets between its host and its controller.",
            "运行程序，并记录它的主机与控制器之间的数据包。"
        ),
        (
            "Runs a program that uses this package, with BLUETOOTH_CAPTURE set to the file. btmon and Wireshark read the file. The exit code is that of the program. With bluez, bluetoothd has the packets: record them with btmon. To record the packets on the air of a virtual radio, run `bluelab radio --capture`.",
            "运行使用本软件包的程序，并把 BLUETOOTH_CAPTURE 设为该文件。btmon 和 Wireshark 可以读取文件。退出码是程序的退出码。使用 bluez 时数据包在 bluetoothd 中：请用 btmon 记录。要记录虚拟无线电空中的数据包，请运行 `bluelab radio --capture`。"
        ),
        (
            "Explain what happened in a capture: links, values, errors, and what is unusual.",
            "说明抓包文件中发生的事：链路、值、错误和异常之处。"
        ),
        (
            "Reads captures of any devices: btsnoop of Android, of btmon and of `bluelab capture`; pcapng and pcap with packets of HCI, of the Linux monitor, or of the air, as Wireshark, the nRF Sniffer and `bluelab radio --capture` write them.",
            "读取任何设备的抓包文件：Android、btmon 和 `bluelab capture` 的 btsnoop；以及 Wireshark、nRF Sniffer 和 `bluelab radio --capture` 写出的 pcapng 和 pcap，其中可以是 HCI、Linux monitor 或空中的数据包。"
        ),
        (
            "Names the links with their parameters and who asked for them, the services, what was read, written and notified, pairings, errors, and why a link ended. What is unusual has a line with !, the numbers of the packets in Wireshark, and the place in the Core Specification that speaks of it. `bluelab decrypt` shows the content of encrypted packets on the air.",
            "列出链路、链路参数和提出者，服务，读取、写入和通知的内容，配对，错误，以及链路结束的原因。异常之处的行有 !，并给出 Wireshark 中的数据包编号和核心规范中的位置。空中的加密数据包可用 `bluelab decrypt` 解密。"
        ),
        (
            "A file that is cut is read up to the cut. The name - reads the standard input.",
            "不完整的文件读到中断处为止。名称 - 表示标准输入。"
        ),
        (
            "Decrypt a recording of the air with long term keys, for Wireshark.",
            "用长期密钥解密空中的记录，供 Wireshark 使用。"
        ),
        (
            "Reads a recording of `bluelab radio --capture` and writes one in which the packets of encrypted connections are plain. A connection is decrypted if the recording contains its start, its encryption requests, and one of the keys fits.",
            "读取 `bluelab radio --capture` 的记录，写出一份加密连接的数据包已解密的记录。如果记录中有连接的开始和加密请求，并且有一个密钥适合，连接就能解密。"
        ),
        (
            "The file of keys has one long term key in each line: 32 hexadecimal digits, the most significant first. The name - reads standard input. The output is readable by its owner only.",
            "密钥文件每行有一个长期密钥：32 位十六进制数字，最高位在前。名称 - 表示标准输入。输出只有所有者可读。"
        ),
        (
            "Serve the commands as tools of the Model Context Protocol, for assistants.",
            "把命令作为模型上下文协议（MCP）的工具提供给助手。"
        ),
        (
            "Speaks the Model Context Protocol (JSON-RPC 2.0) on the standard input and output until the input ends. The tools are scan, explore, read, notify and rssi; with --allow-write also write. A client starts this command, for example with the configuration {\"mcpServers\": {\"bluetooth\": {\"command\": \"bluelab\", \"args\": [\"mcp\"]}}}.",
            "在标准输入和输出上使用模型上下文协议（JSON-RPC 2.0），直到输入结束。工具有 scan、explore、read、notify 和 rssi；加 --allow-write 后还有 write。由客户端启动此命令，例如用配置 {\"mcpServers\": {\"bluetooth\": {\"command\": \"bluelab\", \"args\": [\"mcp\"]}}}。"
        ),
        (
            "The link to a device stays open between calls, and ends after a minute without a call. Results contain the records of --json.",
            "与设备的链路在调用之间保持，一分钟没有调用后结束。结果含有 --json 的记录。"
        ),
        ("Print the completions of this tool for a shell.", "打印本工具在某种 shell 中的补全脚本。"),
        (
            "  bluelab completions zsh > ~/.zfunc/_bluelab      # with fpath+=~/.zfunc before compinit",
            "  bluelab completions zsh > ~/.zfunc/_bluelab      # 在 compinit 之前加上 fpath+=~/.zfunc"
        ),
        (
            "The completions contain the commands, options and their values, and for DEVICE the devices to which this user was connected.",
            "补全包括命令、选项和它们的值，以及作为 DEVICE 的此用户连接过的设备。"
        ),
        ("Show subcommand help information.", "显示子命令的帮助。"),
    ]
}
