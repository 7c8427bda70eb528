/// Errors of commands and of their arguments.
extension ToolWords {
    static let errorLines: [(String, String)] = [
        ("a seed must be a whole number from 0 to {}.", "种子必须是 0 至 {} 的整数。"),
        ("a distance must be a number of metres from 0 to 1000.", "距离必须是 0 至 1000 的米数。"),
        ("a format must be one of {}.", "格式必须是以下之一：{}。"),
        ("Connected again after {}.", "{} 后重新连接。"),
        ("no number of {} has a name with \"{}\".", "{0} 中没有名称含“{1}”的数值。"),
        ("It has no numbers.", "它没有数值。"),
        ("The names are: {}.", "名称有：{}。"),
        ("{} supports neither notifications nor indications.", "{} 不支持通知和指示。"),
        ("the value {} ({part}) is not {}: expected {part}.", "值 {}（{}）不是 {}：应为 {}。"),
        ("write takes either a value or --file.", "write 需要一个值，或者 --file。"),
        (
            "--with-response and --without-response exclude each other.",
            "--with-response 与 --without-response 互相排斥。"
        ),
        ("a value has at most 512 octets; this one has {}.", "值最多 512 字节；这个值有 {} 字节。"),
        ("wrote {part} to {}", "已把 {0} 写入 {1}"),
        ("{} is not UTF-8 text, as --format expects.", "{} 不是 --format 所需的 UTF-8 文本。"),
        ("the same command without --format", "同样的命令，不加 --format"),
        ("{} does not support writes without response.", "{} 不支持无响应写入。"),
        ("the same command without --without-response", "同样的命令，不加 --without-response"),
        (
            "a write without response carries at most {part} on this link; this value has {}.",
            "无响应写入在此链路上最多携带 {}；这个值有 {} 字节。"
        ),
        ("the same command with --with-response, or bluelab mtu", "同样的命令加 --with-response，或 bluelab mtu"),
        ("{} is written by a subscription, which ends with the connection.", "{} 由订阅写入，订阅随连接结束。"),
        ("a write of a descriptor has a response.", "描述符的写入有响应。"),
        ("a format must be sig or one of {}.", "格式必须是 sig 或以下之一：{}。"),
        (
            "--measured-power must be from -127 to 20 dBm, not {}.",
            "--measured-power 必须是 -127 至 20 dBm，不能是 {}。"
        ),
        (
            "A beacon needs a format, such as --ibeacon UUID:MAJOR:MINOR or --eddystone-url https://example.com.",
            "信标需要一种格式，例如 --ibeacon UUID:MAJOR:MINOR 或 --eddystone-url https://example.com。"
        ),
        (
            "an iBeacon must be UUID:MAJOR:MINOR with numbers up to 65535, not \"{}\".",
            "iBeacon 必须是 UUID:MAJOR:MINOR，编号最大 65535，不能是“{}”。"
        ),
        (
            "an AltBeacon must be COMPANY:IDENTIFIER with 20 octets, not \"{}\".",
            "AltBeacon 必须是 COMPANY:IDENTIFIER，标识符 20 字节，不能是“{}”。"
        ),
        (
            "an Eddystone-UID must be NAMESPACE:INSTANCE with 10 and 6 octets, not \"{}\".",
            "Eddystone-UID 必须是 NAMESPACE:INSTANCE，分别为 10 和 6 字节，不能是“{}”。"
        ),
        (
            "an Eddystone-URL must begin with http:// or https:// and fit into 17 octets after compression, not \"{}\".",
            "Eddystone-URL 必须以 http:// 或 https:// 开头，压缩后不超过 17 字节，不能是“{}”。"
        ),
        (
            "an Eddystone-TLM must be MILLIVOLTS:TEMPERATURE, such as 3000:21.5, not \"{}\".",
            "Eddystone-TLM 必须是 MILLIVOLTS:TEMPERATURE，例如 3000:21.5，不能是“{}”。"
        ),
        ("an Eddystone-EID must have 8 octets, not \"{}\".", "Eddystone-EID 必须有 8 字节，不能是“{}”。"),
        ("--interval must be from 20 to 10240 ms, not {}.", "--interval 必须是 20 至 10240 ms，不能是 {}。"),
        ("the controller refused the beacon: {part}", "控制器拒绝了信标：{}"),
        ("--path-loss must be from 1 to 10, not {}.", "--path-loss 必须是 1 至 10，不能是 {}。"),
        (
            "a region must be UUID, UUID:MAJOR or UUID:MAJOR:MINOR, not \"{}\".",
            "区域必须是 UUID、UUID:MAJOR 或 UUID:MAJOR:MINOR，不能是“{}”。"
        ),
        (
            "the program to run follows after --, as in: -- bluelab scan.",
            "要运行的程序写在 -- 之后，例如：-- bluelab scan。"
        ),
        ("{} cannot be run: {word}.", "无法运行 {0}：{1}。"),
        ("{} is not a complete pcapng recording.", "{} 不是完整的 pcapng 记录。"),
        (
            "Use a recording that bluelab radio --capture has finished.",
            "请使用 bluelab radio --capture 已写完的记录。"
        ),
        ("{word} is empty.", "{}是空文件。"),
        ("The first packet is from {}.", "第一个数据包的时间是 {}。"),
        ("The packets in a browser: {}", "在浏览器中查看数据包：{}"),
        ("{word} is not a capture: it is neither btsnoop, pcapng nor pcap.", "{}不是抓包文件：它不是 btsnoop、pcapng 或 pcap。"),
        (
            "Unpack it if it is compressed: an Android bug report has btsnoop_hci.log inside.",
            "如果是压缩文件，请先解压：Android 的错误报告里有 btsnoop_hci.log。"
        ),
        ("{word} has packets of another protocol (link type {}).", "{}中是其他协议的数据包（链路类型 {}）。"),
        (
            "Record HCI (187, 201, 254) or the air of Bluetooth LE (251, 256, 272).",
            "请记录 HCI（187、201、254）或低功耗蓝牙的空中数据包（251、256、272）。"
        ),
        ("The file ends inside a packet: the rest is missing.", "文件在数据包中间结束：缺少其余内容。"),
        ("The file is damaged from octet {} on, which ends the reading.", "文件从第 {} 字节起已损坏，读取到此为止。"),
        ("Line {} of the keys is not a long term key.", "密钥的第 {} 行不是长期密钥。"),
        ("Write 32 hexadecimal digits in each line, the most significant first.", "每行写 32 位十六进制数字，最高位在前。"),
        ("--one-process and --namespaces exclude each other.", "--one-process 与 --namespaces 互相排斥。"),
        ("network namespaces are not possible here: {}.", "此处不能使用网络命名空间：{}。"),
        ("the password is too long.", "密码过长。"),
        ("the name of a plot must end with .svg.", "图的文件名必须以 .svg 结尾。"),
        ("there are no numbers to plot.", "没有可以画图的数值。"),
        ("the same command with --format, such as --format u16", "同样的命令加 --format，例如 --format u16"),
        ("give --network, --identify or --list.", "请给出 --network、--identify 或 --list。"),
        (
            "the name of a network has 1 to 32 octets, and a password at most 64.",
            "网络的名称有 1 至 32 字节，密码最多 64 字节。"
        ),
        ("Check --network and the password.", "请检查 --network 和密码。"),
        ("The device wants to be authorised: press its button.", "设备要求授权：请按它的按钮。"),
        ("The device cannot show which one it is.", "设备无法表明是哪一个。"),
        ("no device with the Improv service was found.", "没有找到带 Improv 服务的设备。"),
        (
            "Bring the device near, and start its provisioning; or look with: bluelab scan",
            "请把设备放近并启动它的配网；或用此命令查找：bluelab scan"
        ),
        ("the device has no complete Improv service.", "设备没有完整的 Improv 服务。"),
        ("the Bluetooth link has ended.", "蓝牙链路已结束。"),
        ("Try again nearer to the device.", "请靠近设备后再试。"),
        ("the device did not answer in time.", "设备没有及时回答。"),
        ("Try again, or give --timeout.", "请再试一次，或给出 --timeout。"),
        ("the device could not join the network.", "设备无法加入网络。"),
        ("Check the name and the password.", "请检查名称和密码。"),
        ("the device is not authorised.", "设备没有得到授权。"),
        ("Press its button, then try again.", "请按它的按钮，然后再试。"),
        ("the device shows the error {}.", "设备报告错误 {}。"),
        ("the device sent octets that are no valid answer.", "设备发送的不是有效的回答。"),
        ("the {word} is missing, and there is no terminal to ask for it.", "缺少{}，也没有可以询问的终端。"),
        ("Give {} FILE, or set {}.", "请给出 {} FILE，或设置 {}。"),
        ("the terminal cannot be read.", "无法读取终端。"),
        ("the {word} is missing.", "缺少{}。"),
        ("--plot needs a file name that ends with .svg, not \"{}\".", "--plot 需要以 .svg 结尾的文件名，不能是“{}”。"),
        (
            "--detail needs a name, an identifier, an address, or a part of one.",
            "--detail 需要名称、标识符、地址或其中一部分。"
        ),
        (
            "--detail shows one device: omit --count, --duplicates, --csv and --plot.",
            "--detail 只显示一个设备：请去掉 --count、--duplicates、--csv 和 --plot。"
        ),
        (
            "--connectable and --not-connectable exclude each other.",
            "--connectable 与 --not-connectable 互相排斥。"
        ),
        ("{} must be a signal from -127 to 20 dBm, not {}.", "{} 必须是 -127 至 20 dBm 的信号，不能是 {}。"),
        ("no signal is at least {} dBm and at most {} dBm.", "没有信号既不低于 {} dBm 又不高于 {} dBm。"),
        (
            "a service must be a UUID such as 180D, the start of one, or a part of a SIG name such as \"heart rate\"; no service is \"{}\".",
            "服务必须是 180D 这样的 UUID、UUID 的开头，或 \"heart rate\" 这样的 SIG 名称的一部分；没有服务是“{}”。"
        ),
        (
            "a company must be a part of a name that the SIG assigned, such as apple; no company is \"{}\".",
            "公司必须是 SIG 所分配名称的一部分，例如 apple；没有公司是“{}”。"
        ),
        (
            "octets must be pairs of hexadecimal digits or ?, such as 4c0002??, not \"{}\".",
            "字节必须是成对的十六进制数字或 ?，例如 4c0002??，不能是“{}”。"
        ),
        ("{} advertisements were dropped, because the output was too slow.", "输出太慢，丢弃了 {} 次广播。"),
        ("{}: 1 step", "{}：1 步"),
        ("{}: {} steps", "{}：{} 步"),
        ("step {} at {}:{} failed: {part}", "{1}:{2} 的第 {0} 步失败：{3}"),
        ("{} is not a script: {part}.", "{} 不是脚本：{}。"),
        ("--set takes a name and a value, such as --set device=Lamp.", "--set 需要名称和值，例如 --set device=Lamp。"),
        ("connect without a device needs a scan before it.", "不指定设备的 connect 之前需要扫描。"),
        ("the notifications of {} are off.", "{} 的通知没有开启。"),
        ("expected {}, found {}", "应为 {}，实际为 {}"),
        ("the device disconnected: {word}.", "设备断开了连接：{}。"),
        ("{} is not a profile: {part}", "{} 不是配置文件：{}"),
        ("no profile is served.", "没有提供配置文件。"),
        ("the served profile has no characteristic \"{}\"; it has {}.", "所提供的配置文件没有特征“{}”；它有 {}。"),
        (
            "there is no shipped profile \"{}\"; a file needs the suffix .yaml or a slash.",
            "没有名为“{}”的自带配置文件；文件需要后缀 .yaml 或一个斜杠。"
        ),
        ("{} is not a profile: {part}.", "{} 不是配置文件：{}。"),
        ("serve takes a profile, or --list.", "serve 需要配置文件，或 --list。"),
        ("the profile and the passkey cannot both come from the standard input.", "配置文件和配对码不能都来自标准输入。"),
        ("a name must have 1 to 248 octets.", "名称必须有 1 至 248 字节。"),
        ("{} is valid.", "{} 有效。"),
        ("a cluster has at most {} brokers.", "集群最多有 {} 个代理服务器。"),
        (
            "--broker is no address: expected mqtt://HOST[:PORT] or mqtts://HOST[:PORT].",
            "--broker 不是地址：应为 mqtt://HOST[:PORT] 或 mqtts://HOST[:PORT]。"
        ),
        (
            "A user belongs to the settings, and a password to a file: see Documentation/Cloud.md.",
            "用户写在设置中，密码写在文件中：见 Documentation/Cloud.md。"
        ),
        (
            "Warning: the password crosses the network without encryption. Use mqtts.",
            "警告：密码在网络上不加密。请使用 mqtts。"
        ),
        ("the address of the broker is missing.", "缺少代理服务器的地址。"),
        ("{} does not hold {word}: a text of {} to {} octets of UTF-8.", "{} 的内容不是{}：{} 至 {} 字节的 UTF-8 文本。"),
        ("{word} cannot be read: {}: {word}.", "无法读取{}：{}：{}。"),
        ("{} is no file.", "{} 不是文件。"),
        ("other users can read {word} in {}.", "其他用户能读取 {1} 中的{0}。"),
        ("the device must be a name, an identifier, or a part of either.", "设备必须是名称、标识符或其中一部分。"),
        ("\"{}\" is not a command.", "“{}”不是命令。"),
        ("{} is used as: {}", "{} 的用法：{}"),
        ("\"{}\" is not a format.", "“{}”不是格式。"),
        ("The formats are {}.", "格式有：{}。"),
        ("\"{}\" is not a time: expected seconds, such as 0.5, or 500ms.", "“{}”不是时间：应为秒数（例如 0.5）或 500ms。"),
        ("--certificate and --key belong together.", "--certificate 和 --key 必须一起使用。"),
        (
            "other machines reach {}, so the page needs TLS: give --certificate and --key, or listen at 127.0.0.1.",
            "其他机器能访问 {}，所以页面需要 TLS：请给出 --certificate 和 --key，或在 127.0.0.1 监听。"
        ),
    ]

    static let argumentErrorLines: [(String, String)] = [
        ("Unknown option '{}'.", "未知的选项“{}”。"),
        ("Unknown option '{}'. Did you mean '{}'?", "未知的选项“{}”。是否想写“{}”？"),
        ("Missing value for '{}'.", "“{}”缺少值。"),
        ("Missing expected argument '{}'.", "缺少参数“{}”。"),
        ("Missing one of: {}.", "缺少以下之一：{}。"),
        ("Unexpected argument '{}'.", "多余的参数“{}”。"),
        ("{} unexpected arguments: '{}'.", "{} 个多余的参数：“{}”。"),
        ("The option '{}' does not take any value, but '{}' was specified.", "选项“{}”不带值，却给出了“{}”。"),
        ("The value '{}' is invalid for '{}': {part}", "“{0}”不能作为“{1}”的值：{2}"),
        ("The value '{}' is invalid for '{}'.", "“{}”不能作为“{}”的值。"),
        ("The value '{}' is invalid for '{}'. Please provide one of {}.", "“{0}”不能作为“{1}”的值，请写以下之一：{2}。"),
        ("The value '{}' is invalid for '{}'. Did you mean {}?", "“{0}”不能作为“{1}”的值。是否想写 {2}？"),
        ("Missing required subcommand.", "缺少子命令。"),
        ("Invalid option: {}.", "选项无效：{}。"),
        ("Value to be set with flag '{}' had already been set with flag '{}'.", "“{}”要设的值已经由“{}”设过。"),
    ]
}
