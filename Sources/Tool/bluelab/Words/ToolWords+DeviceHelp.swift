/// Help of the commands that use a device.
extension ToolWords {
    static let deviceHelp: [(String, String)] = [
        ("List the devices in range, the strongest first.", "列出范围内的设备，信号最强的在前。"),
        (
            "SIGNAL is in dBm. TYPE is the type of the address: public, static, private (resolvable), or unresol (not resolvable). EVERY is the time between advertisements, SEEN is the number of received advertisements, AGE the time since the last one. The other commands accept the ID, the address or a part of the name as their device. The distance of a beacon is an estimate.",
            "信号的单位是 dBm。类型是地址的类型：公共、静态、私有（可解析）或不可析（不可解析）。间隔是两次广播之间的时间，次数是收到的广播数，距今是最后一次广播以来的时间。其他命令接受 ID、地址或名称的一部分作为设备。信标的距离是估计值。"
        ),
        ("Show the services and characteristics of a device with their values.", "显示设备的服务、特征和特征值。"),
        (
            "Connects, discovers all services and characteristics, and reads each readable value. A value is decoded by the format that the Bluetooth SIG or the device defines for its characteristic, else shown as text or octets.",
            "连接设备，发现所有服务和特征，并读取每个可读的值。值按蓝牙 SIG 或设备为该特征定义的格式解码，否则显示为文本或字节。"
        ),
        (
            "--all also shows the included services and every descriptor with its value.",
            "--all 还显示包含的服务，以及每个描述符和它的值。"
        ),
        ("Read values of characteristics and descriptors.", "读取特征和描述符的值。"),
        (
            "Without --format a value is decoded by the format of its characteristic. Several values are printed with their names.",
            "不加 --format 时，值按特征的格式解码。多个值会连同名称一起打印。"
        ),
        ("Write a value to a characteristic or a descriptor.", "向特征或描述符写入值。"),
        (
            "The value is hexadecimal unless --format selects another format. The command waits for the device's response if the characteristic supports it. A value that is longer than one packet is written in parts, up to 512 octets.",
            "除非用 --format 选择其他格式，值是十六进制。如果特征支持，命令会等待设备的响应。超过一个数据包的值分段写入，最多 512 字节。"
        ),
        ("Print the notifications and indications of a device.", "打印设备的通知和指示。"),
        (
            "Subscribes and prints each value with the time since the start, until Ctrl-C, --count or --duration.",
            "订阅并打印每个值和距开始的时间，直到 Ctrl-C、--count 或 --duration。"
        ),
        ("Measure the signal strength of a connection.", "测量连接的信号强度。"),
        (
            "Connects and reads the strength of the received signal in dBm: once, or repeatedly with --interval, --count, --duration or --live.",
            "连接设备并读取所收信号的强度（dBm）：一次，或用 --interval、--count、--duration、--live 重复读取。"
        ),
        (
            "Show the ATT_MTU of a connection and the sizes that follow from it.",
            "显示连接的 ATT_MTU，以及由它得出的各种长度。"
        ),
        (
            "The ATT_MTU is the size of the largest packet of the Attribute Protocol on this link. Both devices exchange their limits after the connection, and the smaller one applies. A write without response and a notification have a header of 3 octets. A longer write with response is sent in parts, up to 512 octets.",
            "ATT_MTU 是此链路上属性协议最大数据包的长度。连接后双方交换各自的上限，取较小的一个。无响应写入和通知有 3 字节的头。更长的有响应写入分段发送，最多 512 字节。"
        ),
        ("Type commands in a session that stays connected and reconnects.", "在保持连接并会重新连接的会话中输入命令。"),
        (
            "Tab completes commands, devices, services, characteristics and formats. The arrow keys and Ctrl-R find earlier lines. Notifications appear above the line. Ctrl-C ends a command, Ctrl-D the shell.",
            "Tab 键补全命令、设备、服务、特征和格式。方向键和 Ctrl-R 查找以前的行。通知显示在输入行上方。Ctrl-C 结束一条命令，Ctrl-D 结束会话。"
        ),
        (
            "Without a terminal the commands come from the standard input, one on each line. The exit code is that of the first failure.",
            "没有终端时，命令来自标准输入，每行一条。退出码是第一次失败的退出码。"
        ),
        ("Run a script of steps with assertions against devices.", "对设备运行由步骤和断言组成的脚本。"),
        (
            "The script is a YAML file; Documentation/Scripts.md describes its steps. The run ends at the first failure. The exit code is 0 if all steps pass, 1 if an assertion does not hold, and otherwise that of the operation that failed.",
            "脚本是 YAML 文件，Documentation/Scripts.md 说明各个步骤。运行在第一次失败时结束。所有步骤通过时退出码是 0，断言不成立时是 1，否则是失败操作的退出码。"
        ),
        ("Pair with a device, and keep its keys.", "与设备配对，并保存密钥。"),
        (
            "Asks for a passkey, or for a comparison of six digits, if the device supports that. Ctrl-C cancels the pairing.",
            "如果设备支持，会询问配对码，或请用户比较六位数字。Ctrl-C 取消配对。"
        ),
        (
            "  bluelab pair wristband --yes --json            # in a script",
            "  bluelab pair wristband --yes --json            # 用于脚本"
        ),
        (
            "  bluelab pair lock --passkey-file passkey       # in a script: the first line of the file",
            "  bluelab pair lock --passkey-file passkey       # 用于脚本：文件的第一行"
        ),
        (
            "Without a terminal, a device that is not paired requires --yes, --passkey or --passkey-file; otherwise the command ends with exit code 7. Use a file or the standard input for a passkey that other users must not see: the process list shows the value of --passkey. `bluelab bonds` lists the paired devices.",
            "没有终端时，未配对的设备需要 --yes、--passkey 或 --passkey-file，否则命令以退出码 7 结束。不能让其他用户看到的配对码请用文件或标准输入：进程列表会显示 --passkey 的值。`bluelab bonds` 列出已配对的设备。"
        ),
        ("Delete the keys of a paired device.", "删除已配对设备的密钥。"),
        (
            "The device keeps its keys: delete them there too, or it refuses the next connection.",
            "设备保留它的密钥：请在设备上也删除，否则它会拒绝下一次连接。"
        ),
        ("List the paired devices.", "列出已配对的设备。"),
        (
            "The programs of a user share the bonds. With bluez they are those of bluetoothd, which all programs of the machine share. `bluelab unpair` removes one.",
            "同一用户的程序共享绑定。使用 bluez 时是 bluetoothd 的绑定，本机所有程序共享。`bluelab unpair` 删除其中一个。"
        ),
        (
            "In a terminal the table is updated in place: q quits, the arrow keys select, / filters by all that a row shows. Enter connects to the selected device and shows its services and values, with keys to read, subscribe and write; esc returns to the table. Otherwise each device is printed when it is found, or with --duration the table is printed at the end.",
            "在终端中，表格就地更新：q 退出，方向键选择，/ 按一行所显示的全部内容筛选。Enter 连接所选的设备并显示它的服务和值，并有读取、订阅和写入的按键；esc 返回表格。否则每找到一个设备就打印它，或者加 --duration 时在最后打印表格。"
        ),
        (
            "Give a device a name of your own, which every command accepts as the device.",
            "给设备取自定名称，所有命令都接受它作为设备。"
        ),
        (
            "Without a name it prints that of the device, and without a device all names. The store keeps them for the programs of this user. A device that changes its address without being paired is a new device, and has no name then.",
            "不给名称时打印设备的名称，不给设备时打印所有名称。名称保存在此用户的存储中。未配对而改变地址的设备是新设备，不再有名称。"
        ),
        ("The device: its identifier, its address, its name, or a part of one.", "设备：它的标识符、地址、名称或其中一部分。"),
        ("The name of your own.", "自定的名称。"),
        ("Remove the name of the device.", "删除设备的名称。"),
        ("The time limit of the search.", "查找的时限。"),
    ]
}
