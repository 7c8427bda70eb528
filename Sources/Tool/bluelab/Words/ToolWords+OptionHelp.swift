/// Help of options that several commands have.
extension ToolWords {
    static let optionHelp: [(String, String)] = [
        ("Show the version.", "显示版本。"),
        ("Show help information.", "显示帮助。"),
        ("Determines all random draws: equal seeds give equal runs.", "决定所有随机数：相同的种子得到相同的运行。"),
        (
            "Print every packet on the air, decoded; with hci also the packets between hosts and controllers. --trace alone is --trace air.",
            "解码并打印空中的每个数据包；选 hci 时还打印主机与控制器之间的数据包。单独的 --trace 等于 --trace air。"
        ),
        (
            "Disable colours. The environment variable NO_COLOR has the same effect.",
            "不使用颜色。环境变量 NO_COLOR 有同样的作用。"
        ),
        ("The distance between wristband and phone.", "手环与手机之间的距离。"),
        (
            "Write the packets on the air to a capture for Wireshark (pcapng). With - the capture goes to the output, and the text to the error stream.",
            "把空中的数据包写入 Wireshark 的捕获文件（pcapng）。写 - 时捕获进入标准输出，文字进入错误输出。"
        ),
        ("Determines the random draws of the radio.", "决定无线信号的随机数。"),
        ("Run in one process, with a simulated router, access point and cloud.", "在一个进程中运行，路由器、接入点和云都是模拟的。"),
        ("Run in network namespaces, or fail.", "在网络命名空间中运行，做不到就失败。"),
        (
            "Take the time that the story takes: with the usual time limits of a link, half a minute. Otherwise virtual time, or short limits.",
            "使用过程所需的真实时间：按链路通常的时限，约半分钟。否则使用虚拟时间或较短的时限。"
        ),
        ("Print one JSON object per line.", "每行打印一个 JSON 对象。"),
        (
            "The controller, as in BLUETOOTH_CONTROLLER: bluez, hci0, radio and others; bluelab help adapters lists them.",
            "控制器，写法同 BLUETOOTH_CONTROLLER：bluez、hci0、radio 等；bluelab help adapters 列出全部写法。"
        ),
        ("Only devices with this text in their name.", "只显示名称含有此文字的设备。"),
        ("No devices with this text in their name.", "不显示名称含有此文字的设备。"),
        ("Only devices with this service, by UUID or SIG name.", "只显示有此服务的设备，用 UUID 或 SIG 名称指定。"),
        ("No devices with this service.", "不显示有此服务的设备。"),
        ("Only devices with manufacturer data of this company.", "只显示厂商数据属于此公司的设备。"),
        ("No devices with manufacturer data of this company.", "不显示厂商数据属于此公司的设备。"),
        ("Only devices with at least this signal strength.", "只显示信号不低于此强度的设备。"),
        ("Only devices with at most this signal strength.", "只显示信号不高于此强度的设备。"),
        (
            "Only devices with these octets in their advertisement. A ? fits any digit, as in 4c0002??.",
            "只显示广播中含有这些字节的设备。? 代表任意一位数字，例如 4c0002??。"
        ),
        ("No devices with these octets in their advertisement.", "不显示广播中含有这些字节的设备。"),
        ("Only connectable devices.", "只显示可连接的设备。"),
        ("Only devices that are not connectable.", "只显示不可连接的设备。"),
        ("Stop after this time. Without it the scan runs until Ctrl-C.", "到此时间后停止。不指定时一直扫描到 Ctrl-C。"),
        ("Stop after this number of devices.", "找到此数量的设备后停止。"),
        ("Print every advertisement instead of every device.", "打印每次广播，而不是每个设备。"),
        (
            "The PHY: 1m, or coded to look for devices with long range as well, which takes a third of the time.",
            "PHY：1m，或 coded（同时查找远距离设备，占用三分之一的时间）。"
        ),
        (
            "Print all data of one device, with its advertisement as octets and decoded.",
            "打印一个设备的全部数据，广播以字节和解码后的形式显示。"
        ),
        ("Write each received signal to a CSV file.", "把收到的每个信号写入 CSV 文件。"),
        ("Write a chart of the signals to an .svg file.", "把信号的图表写入 .svg 文件。"),
        (
            "The device: its identifier, its address, its name, or a part of one; or a service that its row in scan shows.",
            "设备：它的标识符、地址、名称或其中一部分；或者扫描结果中该行显示的服务。"
        ),
        ("The time limit of the search, and of the connection.", "查找和连接各自的时限。"),
        (
            "Never pair. What the device allows only to paired devices then fails. Without it, a pairing is reported.",
            "从不配对。设备只对已配对设备开放的操作会失败。不加此选项时，发生的配对会被报告。"
        ),
        ("Include descriptors with their values, and included services.", "包括描述符和它们的值，以及包含的服务。"),
        ("Show the tree without reading values.", "显示服务树，但不读取值。"),
        (
            "The characteristics: a UUID, a name, a part of a name, or SERVICE/CHARACTERISTIC; #2 selects the second of several instances, as in 2A19#2. CHARACTERISTIC/DESCRIPTOR names a descriptor.",
            "特征：UUID、名称、名称的一部分，或 SERVICE/CHARACTERISTIC；#2 选择多个同类中的第二个，例如 2A19#2。CHARACTERISTIC/DESCRIPTOR 指定描述符。"
        ),
        (
            "hex, utf8, base64, u8 to u64, i8 to i64, f32 or f64. Integers and floats are little endian, or big endian with the suffix be, such as u16be.",
            "hex、utf8、base64、u8 至 u64、i8 至 i64、f32 或 f64。整数和浮点数是小端序；加后缀 be 是大端序，例如 u16be。"
        ),
        (
            "The characteristic: its UUID, its name, a part of its name, or SERVICE/CHARACTERISTIC; #2 selects the second of several instances. CHARACTERISTIC/DESCRIPTOR names a descriptor.",
            "特征：它的 UUID、名称、名称的一部分，或 SERVICE/CHARACTERISTIC；#2 选择多个同类中的第二个。CHARACTERISTIC/DESCRIPTOR 指定描述符。"
        ),
        ("The value in the selected format.", "所选格式的值。"),
        (
            "Write the octets of this file, or of the standard input for -. With --format the file contains text.",
            "写入此文件（- 表示标准输入）的字节。加 --format 时文件含有文本。"
        ),
        ("Send a Write Command, to which the device sends no response.", "发送写命令，设备对它没有响应。"),
        ("Send a Write Request and wait for the device's response.", "发送写请求，并等待设备的响应。"),
        (
            "hex (the default), utf8, base64, u8 to u64, i8 to i64, f32, f64, a big-endian number such as u16be, or sig: the values that read prints, such as \"21.5\", \"high alert\" or \"2026-02-28 13:45:00\".",
            "hex（默认）、utf8、base64、u8 至 u64、i8 至 i64、f32、f64、u16be 这样的大端数，或 sig：read 打印的值，例如 \"21.5\"、\"high alert\" 或 \"2026-02-28 13:45:00\"。"
        ),
        (
            "The characteristics: UUIDs, names, parts of names, or SERVICE/CHARACTERISTIC; #2 selects the second of several instances.",
            "特征：UUID、名称、名称的一部分，或 SERVICE/CHARACTERISTIC；#2 选择多个同类中的第二个。"
        ),
        ("Stop after this number of values.", "收到此数量的值后停止。"),
        ("Stop after this time.", "到此时间后停止。"),
        ("Also write the values to this file as comma-separated lines.", "同时把值写入此文件，以逗号分隔。"),
        (
            "Draw the numbers over time when the command ends, to a file whose name ends with .svg.",
            "命令结束时把数值随时间的变化画成图，文件名以 .svg 结尾。"
        ),
        (
            "Draw the numbers on the terminal as they arrive. Without a terminal, each value is a line.",
            "数值到达时在终端上画图。没有终端时，每个值占一行。"
        ),
        ("After a lost link, connect and subscribe again, for up to 60 s.", "链路丢失后再次连接和订阅，最长 60 秒。"),
        (
            "The field whose number is drawn, by a part of its name, such as \"RR\". Without this option the first number is drawn.",
            "绘图所用的字段，写名称的一部分，例如 \"RR\"。不指定时画第一个数值。"
        ),
        ("The time between two readings; 1 without this option.", "两次读取之间的时间；不指定时是 1。"),
        (
            "The device to connect to at the start: its name, its identifier, or a part of either.",
            "开始时连接的设备：名称、标识符或其中一部分。"
        ),
        ("The time limit of a search, and of a connection.", "每次查找和连接的时限。"),
        ("Write the session as a script for bluelab run.", "把会话写成 bluelab run 的脚本。"),
        ("The script.", "脚本。"),
        ("Validate the script without running it.", "只检查脚本，不运行。"),
        ("Set a variable of the script. Can be repeated.", "设置脚本的变量。可以重复。"),
        ("Write the results as JUnit XML.", "把结果写成 JUnit XML。"),
        (
            "The least protection: encrypted, authenticated or secure-connections.",
            "最低的保护：encrypted、authenticated 或 secure-connections。"
        ),
        ("Accept every question, also that the numbers on both devices are equal.", "接受每个问题，包括两台设备上的数字相同。"),
        (
            "The device: its name, its identifier, or a part of either, as `bluelab bonds` lists them.",
            "设备：名称、标识符或其中一部分，以 `bluelab bonds` 列出的为准。"
        ),
        ("The file to write (btsnoop).", "要写入的文件（btsnoop）。"),
        ("The program and its arguments, after --.", "程序和它的参数，写在 -- 之后。"),
        ("The recording.", "记录。"),
        ("The capture (btsnoop, pcapng or pcap), or -.", "抓包文件（btsnoop、pcapng 或 pcap），或 -。"),
        ("Print the result as JSON, one object in each line.", "以 JSON 打印结果，每行一个对象。"),
        ("The file with the long term keys, or -.", "含有长期密钥的文件，或 -。"),
        ("The file to write.", "要写入的文件。"),
        (
            "Offer the tool write, with which the client changes values of devices.",
            "提供工具 write，客户端可用它改变设备的值。"
        ),
        ("The shell: bash, zsh or fish.", "shell：bash、zsh 或 fish。"),
    ]
}
