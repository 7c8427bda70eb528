/// The findings of `doctor`, and what `radio` says.
extension ToolWords {
    static let findingLines: [(String, String)] = [
        (
            "{part} They can use a virtual radio (virtual or radio), a gateway, or a controller that speaks H4.",
            "{} 程序可以使用虚拟无线电（virtual 或 radio）、网关，或使用 H4 的控制器。"
        ),
        (
            "bluez fits this machine: {part} Programs need no rights there, and work beside other programs.",
            "bluez 适合本机：{} 程序在那里不需要权限，并能与其他程序同时工作。"
        ),
        ("{part} bluez needs none, as soon as bluetoothd runs.", "{} bluetoothd 一旦运行，bluez 就不需要权限。"),
        ("BlueZ {} {part}", "BlueZ {} {}"),
        ("{part}, and this machine has no Bluetooth adapter.", "{}，而本机没有蓝牙适配器。"),
        ("{part}: programs use {}.", "{}：程序使用 {}。"),
        ("{part}, but this machine has no {}.", "{}，但本机没有 {}。"),
        (
            "This container has no access to Bluetooth: run bluelab on the host.",
            "此容器不能访问蓝牙：请在主机上运行 bluelab。"
        ),
        ("The kernel has no Bluetooth, or its module is not loaded.", "内核没有蓝牙，或它的模块没有加载。"),
        ("The radio switch of this machine is off, which removes its adapter.", "本机的无线开关已关闭，适配器因此消失。"),
        ("This machine has no Bluetooth adapter, or its driver did not find it.", "本机没有蓝牙适配器，或驱动没有找到它。"),
        ("The radio of {} is switched off by software.", "{} 的无线功能已被软件关闭。"),
        (
            "The radio of {} is switched off by the machine's own switch or its firmware settings.",
            "{} 的无线功能已被机器的开关或固件设置关闭。"
        ),
        ("This program may take an adapter from the kernel.", "本程序可以从内核取得适配器。"),
        (
            "This program may not take an adapter from the kernel, and bluez does not need that.",
            "本程序不能从内核取得适配器，而 bluez 不需要这样做。"
        ),
        ("{part} bluez needs none. For the adapter itself: {}", "{} bluez 不需要权限。若要使用适配器本身：{}"),
        ("{part} A new build of it needs them again.", "{} 重新构建后需要再次授予。"),
        ("{} is in use by {} (process {}).", "{0} 正被 {1} 使用（进程 {2}）。"),
        ("{} is in use by a program that this user may not see.", "{} 正被此用户看不到的程序使用。"),
        ("{part} and uses {}.", "{}，使用 {}。"),
        ("{part}, and uses no adapter.", "{}，没有使用适配器。"),
        (
            "{part} and uses {}. A program that takes the adapter ends the connections of keyboards, headphones and others, and bluetoothd can refuse to give it away.",
            "{}，使用 {}。取得适配器的程序会断开键盘、耳机等的连接，而且 bluetoothd 可能不肯让出它。"
        ),
        ("bluetoothd does not run.", "bluetoothd 没有运行。"),
        (
            "Neither XDG_STATE_HOME nor HOME names a folder: identifiers and bonds are lost when a program ends.",
            "XDG_STATE_HOME 和 HOME 都没有指明文件夹：程序结束时标识符和绑定会丢失。"
        ),
        ("Identifiers and bonds are kept in {}.", "标识符和绑定保存在 {}。"),
        ("Identifiers and bonds cannot be kept in {}: {}.", "标识符和绑定不能保存在 {}：{}。"),
        ("A virtual radio runs, which programs join with {}.", "有虚拟无线电正在运行，程序用 {} 加入。"),
        ("1 problem prevents the use of Bluetooth.", "1 个问题使蓝牙无法使用。"),
        ("{} problems prevent the use of Bluetooth.", "{} 个问题使蓝牙无法使用。"),
        (
            "BLUETOOTH_CONTROLLER is not set, and this machine has no Bluetooth adapter.",
            "没有设置 BLUETOOTH_CONTROLLER，而本机没有蓝牙适配器。"
        ),
        (
            "BLUETOOTH_CONTROLLER is {}: a virtual radio inside each program.",
            "BLUETOOTH_CONTROLLER 是 {}：每个程序内部的虚拟无线电。"
        ),
        ("BLUETOOTH_CONTROLLER is {}: the virtual radio at {}.", "BLUETOOTH_CONTROLLER 是 {}：{} 处的虚拟无线电。"),
        (
            "BLUETOOTH_CONTROLLER is {}: programs use {word} of bluetoothd.",
            "BLUETOOTH_CONTROLLER 是 {}：程序使用 bluetoothd 的 {}。"
        ),
        ("BLUETOOTH_CONTROLLER is {}: programs use {}.", "BLUETOOTH_CONTROLLER 是 {}：程序使用 {}。"),
        ("BLUETOOTH_CONTROLLER is {}: {part} can be used.", "BLUETOOTH_CONTROLLER 是 {}：可以使用 {}。"),
        ("BLUETOOTH_CONTROLLER is {}: {} accepts a connection.", "BLUETOOTH_CONTROLLER 是 {}：{} 接受连接。"),
        ("BLUETOOTH_CONTROLLER is {}, but this machine has no {}.", "BLUETOOTH_CONTROLLER 是 {}，但本机没有 {}。"),
        (
            "BLUETOOTH_CONTROLLER is {}, and this machine has no Bluetooth adapter.",
            "BLUETOOTH_CONTROLLER 是 {}，而本机没有蓝牙适配器。"
        ),
        (
            "This machine gives programs no radio: neither bluetoothd nor the kernel has an adapter.",
            "本机没有可供程序使用的无线设备：bluetoothd 和内核都没有适配器。"
        ),
        ("BLUETOOTH_CONTROLLER is {}", "BLUETOOTH_CONTROLLER 是 {}"),
        ("BLUETOOTH_CONTROLLER is not set", "没有设置 BLUETOOTH_CONTROLLER"),
        ("bluetoothd runs and has an adapter.", "bluetoothd 正在运行并有适配器。"),
        ("bluetoothd runs. {part}", "bluetoothd 正在运行。{}"),
        ("bluetoothd runs and has no adapter.", "bluetoothd 正在运行，但没有适配器。"),
        (
            "{} fits this machine: {part} A program takes the adapter from the kernel and from other programs, which needs rights.",
            "{} 适合本机：{} 程序从内核和其他程序那里取得适配器，这需要权限。"
        ),
        ("{part}: a virtual radio inside each program.", "{}：每个程序内部的虚拟无线电。"),
        ("{part}: the virtual radio at {}.", "{}：{} 处的虚拟无线电。"),
        ("{part}: programs use {word} of bluetoothd.", "{}：程序使用 bluetoothd 的 {}。"),
        ("the first adapter", "第一个适配器"),
        ("{part}: {part} can be used.", "{}：可以使用 {}。"),
        ("{part}: {} accepts a connection.", "{}：{} 接受连接。"),
        ("BLUETOOTH_CONTROLLER is {}. {part}", "BLUETOOTH_CONTROLLER 是 {}。{}"),
        ("BLUETOOTH_CONTROLLER is not set. {part}", "没有设置 BLUETOOTH_CONTROLLER。{}"),
        ("the gateway of the local network", "局域网的网关"),
        ("the gateway at {}", "{} 处的网关"),
        ("{}, no BlueZ.", "{}，没有 BlueZ。"),
        (
            "This program lacks the capabilities cap_net_admin and cap_net_raw, which an adapter requires that is taken from the kernel.",
            "本程序缺少从内核取得适配器所需的权限 cap_net_admin 和 cap_net_raw。"
        ),
        ("bluetoothd (process {}) runs", "bluetoothd（进程 {}）正在运行"),
        ("bluetoothd (process {}) runs.", "bluetoothd（进程 {}）正在运行。"),
        ("Another program scans with {} through bluetoothd.", "另一个程序正通过 bluetoothd 用 {} 扫描。"),
        (
            "does not tell the MTU: programs see 23 until the first write without response or subscription of a connection.",
            "不提供 MTU：在连接的第一次无响应写入或订阅之前，程序看到的是 23。"
        ),
        (
            "opens further channels for attributes (EATT), with which some devices end the link after 29 s. If that happens, write Channels=1 in the section [GATT] of /etc/bluetooth/main.conf.",
            "会打开更多属性通道（EATT），有些设备因此在 29 秒后断开链路。遇到时请在 /etc/bluetooth/main.conf 的 [GATT] 一节写入 Channels=1。"
        ),
        (
            "does not tell why a link ended: a lost link looks as if the device had ended it.",
            "不说明链路为何结束：链路丢失看上去像是设备断开的。"
        ),
        ("{}: {}, driver {}, {}.", "{}：{}，驱动 {}，{}。"),
        ("no address known", "地址未知"),
    ]

    static let radioLines: [(String, String)] = [
        (
            "Only one capture can go to the output: pass a file to --capture or --capture-hci.",
            "只有一份捕获能进入标准输出：请给 --capture 或 --capture-hci 一个文件。"
        ),
        ("\"{}\" must be one word without spaces.", "“{}”必须是一个不含空格的词。"),
        ("A beacon must be a name or a number, not \"{}\".", "信标必须是名称或编号，不能是“{}”。"),
        (
            "A device must be a name or a number of bluelab radio list, not \"{}\".",
            "设备必须是 bluelab radio list 中的名称或编号，不能是“{}”。"
        ),
        ("Loss must be a percentage from 0 to 100, not {}.", "丢包率必须是 0 至 100 的百分数，不能是 {}。"),
        ("--pace must be a number above 0, or unlimited, not {}.", "--pace 必须是大于 0 的数或 unlimited，不能是 {}。"),
        (
            "--address must be six octets with an even first one, such as 02:00:5E:00:00:01, not {}.",
            "--address 必须是六个字节，第一个为偶数，例如 02:00:5E:00:00:01，不能是 {}。"
        ),
        (
            "--address is given more often than --listen: each --address belongs to one --listen.",
            "--address 比 --listen 多：每个 --address 属于一个 --listen。"
        ),
        (
            "The radio's response cannot be decoded: restart the radio with this version of bluelab.",
            "无法解码无线电的回答：请用此版本的 bluelab 重新启动无线电。"
        ),
        (
            "This process may open {} files, enough for some {} programs. For {}, raise the hard limit: ulimit -Hn {} in a shell of root, or LimitNOFILE={} in the unit of a service.",
            "本进程可以打开 {} 个文件，约够 {} 个程序使用。若要 {} 个，请提高硬上限：在 root 的 shell 中执行 ulimit -Hn {}，或在服务的单元中写 LimitNOFILE={}。"
        ),
    ]
}
