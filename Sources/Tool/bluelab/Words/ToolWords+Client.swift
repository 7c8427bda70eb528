/// Errors of devices, links, names, pairings and files.
extension ToolWords {
    static let clientErrorLines: [(String, String)] = [
        ("{} did not accept a connection within {}.", "{0} 在 {1} 内没有接受连接。"),
        (
            "The device may be off, out of range, or connected to another central.",
            "设备可能已关闭、超出范围，或已连接到其他中心设备。"
        ),
        ("{} did not answer {part} within {}.", "{0} 在 {2} 内没有回答{1}。"),
        (
            "a characteristic must be a UUID or a name, such as 2A37 or \"heart rate\".",
            "特征必须是 UUID 或名称，例如 2A37 或 \"heart rate\"。"
        ),
        ("the device has no characteristic \"{}\".", "设备没有特征“{}”。"),
        ("It has none.", "它没有。"),
        ("It has: {}.", "它有：{}。"),
        ("\"{}\" matches several characteristics: {}.", "“{}”符合多个特征：{}。"),
        ("the device must be an identifier, an address, a name, or a part of one.", "设备必须是标识符、地址、名称或其中一部分。"),
        (
            "a time must be a number of seconds above 0 and at most 1000000, such as 10 or 0.5.",
            "时间必须是大于 0 且不超过 1000000 的秒数，例如 10 或 0.5。"
        ),
        ("a count must be a whole number above 0, such as 10.", "数量必须是大于 0 的整数，例如 10。"),
        ("{} has no descriptor \"{}\".", "{} 没有描述符“{}”。"),
        ("\"{}\" matches several descriptors.", "“{}”符合多个描述符。"),
        ("the controller {} does not tell the signal strength of connections.", "控制器 {} 不提供连接的信号强度。"),
        ("A scan shows the signal strength of advertisements.", "扫描会显示广播的信号强度。"),
        ("the adapter no longer knows {}.", "适配器已不认识 {}。"),
        ("{} is not connectable, as its advertisements say.", "{} 不可连接：它的广播是这样说的。"),
        ("\"{}\" matches {} devices: {}{part}.", "“{0}”符合 {1} 个设备：{2}{3}。"),
        ("no device matched \"{}\" within {}.", "{1} 内没有设备符合“{0}”。"),
        ("{part} failed: {word}.", "{}失败：{}。"),
        ("the device refused {part}: {word}.", "设备拒绝了{}：{}。"),
        ("wrote the profile of {}{}{}", "已写出 {}{}{} 的配置文件"),
        ("--remove takes no name.", "--remove 不带名称。"),
        ("--remove needs the device.", "--remove 需要设备。"),
        (
            "No device has a name of your own. Try: bluelab name DEVICE NAME",
            "还没有给设备取名。请试：bluelab name DEVICE NAME"
        ),
        ("\"{}\" matches several devices: {}.", "“{}”符合多个设备：{}。"),
        ("no device with a name of your own matches \"{}\".", "没有自定名称的设备符合“{}”。"),
        ("{} has no name of your own now.", "{} 现在没有自定名称。"),
        (
            "names are kept in the store, and neither XDG_STATE_HOME nor HOME names a folder.",
            "名称保存在存储中，而 XDG_STATE_HOME 和 HOME 都没有指明文件夹。"
        ),
        ("\"{}\" is already the name of {}.", "“{}”已经是 {} 的名称。"),
        ("the store keeps at most {} names.", "存储最多保存 {} 个名称。"),
        ("the name cannot be kept: {}", "无法保存名称：{}"),
        ("a name has 1 to {} octets of text without control characters.", "名称是 1 至 {} 字节、不含控制字符的文本。"),
        ("\"{}\" is an identifier or an address, which cannot be a name.", "“{}”是标识符或地址，不能作为名称。"),
        ("the output would be longer than 1 MiB.", "输出会超过 1 MiB。"),
        ("a shorter time or a filter.", "更短的时间，或加筛选条件。"),
        ("the output cannot be written: {word}.", "无法写入输出：{}。"),
        ("{word} cannot be read: {word}.", "无法读取 {}：{}。"),
        ("{word} cannot be written: {part}.", "无法写入 {}：{}。"),
        ("No device is paired. Try: bluelab pair DEVICE", "没有已配对的设备。请试：bluelab pair DEVICE"),
        ("the pairing with {} took too long.", "与 {} 的配对时间过长。"),
        // Before the next one, which would take the end of this one for its own.
        ("the pairing with {} failed. {part}", "与 {} 的配对失败。{}"),
        ("the pairing with {} was cancelled.", "与 {} 的配对已取消。"),
        (
            "a pairing asks the user, and the standard input or the error stream is not a terminal.",
            "配对需要询问用户，而标准输入或错误输出不是终端。"
        ),
        (
            "Give a passkey with --passkey-file, or accept every question with --yes.",
            "用 --passkey-file 给出配对码，或用 --yes 接受每个问题。"
        ),
        ("the pairing with {} failed: the device disconnected.", "与 {} 的配对失败：设备断开了连接。"),
        (
            "Without a terminal, --yes gives this device a display, and a passkey option a keyboard.",
            "没有终端时，--yes 使本设备有显示屏，配对码选项使它有键盘。"
        ),
        ("--passkey and --passkey-file exclude each other.", "--passkey 与 --passkey-file 互相排斥。"),
        ("{} contained no passkey within {}.", "{} 在 {} 内没有给出配对码。"),
        ("the passkey cannot be read from {}: {}.", "无法从 {} 读取配对码：{}。"),
        ("the first line of {} must be a passkey of one to six decimal digits.", "{} 的第一行必须是一至六位十进制数字的配对码。"),
        ("a passkey must be one to six decimal digits.", "配对码必须是一至六位十进制数字。"),
        ("Refused a pairing with {}: this command pairs with {} only.", "已拒绝与 {} 的配对：此命令只与 {} 配对。"),
        (
            "Refused a pairing with {}: it would replace the keys of its bond. Allow it with --yes, or first: bluelab unpair {}",
            "已拒绝与 {} 的配对：它会替换绑定的密钥。请用 --yes 允许，或先执行：bluelab unpair {}"
        ),
        ("Enter the passkey {} on {}.", "请在 {1} 上输入配对码 {0}。"),
        (
            "Refused a pairing with {}: the question about another pairing waits for its answer.",
            "已拒绝与 {} 的配对：关于另一次配对的问题还在等待回答。"
        ),
        ("the adapter did not delete the keys within 10 s.", "适配器在 10 秒内没有删除密钥。"),
        ("no paired device matches \"{}\".", "没有已配对的设备符合“{}”。"),
        ("No device is paired.", "没有已配对的设备。"),
        ("Paired are: {}.", "已配对：{}。"),
        (
            "a write without response carries at most {} octets on this link; this one has {}.",
            "无响应写入在此链路上最多携带 {} 字节；这个值有 {} 字节。"
        ),
        ("{} did not come back within {}.", "{} 在 {} 内没有回来。"),
        ("The session continues to wait for it.", "会话继续等待它。"),
        ("the controller did not measure the signal strength.", "控制器没有测量信号强度。"),
        ("the pairing with {} failed. The pairing was cancelled.", "与 {} 的配对失败。配对已取消。"),
        ("the read of {} failed: {word}.", "读取 {} 失败：{}。"),
        ("the write of {} failed: {word}.", "写入 {} 失败：{}。"),
        ("the subscription to {} failed: {word}.", "订阅 {} 失败：{}。"),
        ("the discovery of services", "发现服务"),
        ("the discovery of characteristics", "发现特征"),
        ("the discovery of descriptors", "发现描述符"),
        ("the discovery of included services", "发现包含的服务"),
        ("the read of {}", "读取 {} "),
        ("the write of {}", "写入 {} "),
        ("the subscription to {}", "订阅 {} "),
        ("the reading of the signal strength", "读取信号强度"),
        ("application error {}", "应用错误 {}"),
        ("the link was closed", "链路已关闭"),
        ("the connection to {} failed: {word}.", "与 {} 的连接失败：{}。"),
        ("{} disconnected during {part}: {word}.", "{0} 在{1}时断开了连接：{2}。"),
        ("{} disconnected: {word}.", "{} 断开了连接：{}。"),
        ("the device", "设备"),
        ("The scan found no device.", "扫描没有找到设备。"),
        ("The scan found: {}.", "扫描找到：{}。"),
        ("1 other device", "另外 1 个设备"),
        ("{} other devices", "另外 {} 个设备"),
        (" and {} more", " 以及另外 {} 个"),
        ("The device refused 1 read; see the tree.", "设备拒绝了 1 次读取；见上面的服务树。"),
        ("The device refused {} reads; see the tree.", "设备拒绝了 {} 次读取；见上面的服务树。"),
        ("the Bluetooth controller {} cannot be used.", "无法使用蓝牙控制器 {}。"),
        ("the Bluetooth controller {} was not ready within {}.", "蓝牙控制器 {} 在 {} 内没有就绪。"),
        ("the Bluetooth controller {} was removed or switched off.", "蓝牙控制器 {} 已被移除或关闭。"),
        ("{part} Waiting for the controller.", "{} 正在等待控制器。"),
        ("the Bluetooth controller {} is back.", "蓝牙控制器 {} 已恢复。"),
        ("took {}; \"{}\" also fits {part}.", "选用了 {}；“{}”还符合 {}。"),
        ("{part} {part} again when the controller is back.", "{}控制器恢复后{}。"),
        ("{part} Reconnecting.", "{}正在重新连接。"),
        (
            "paired with {}: {part}. bluelab unpair {} deletes the keys.",
            "已与 {0} 配对：{1}。bluelab unpair {2} 删除密钥。"
        ),
        (
            "the manufacturer data and the service data of {} have more than {} octets together; the part that does not fit is not sent.",
            "{} 的厂商数据和服务数据合计超过 {} 字节；放不下的部分不发送。"
        ),
        ("{} updates are lost: a client writes faster than it receives.", "丢失了 {} 次更新：有客户端写入的速度超过接收的速度。"),
        ("{} wants to replace the keys of its bond. Allow it? [y/N] ", "{} 要替换绑定的密钥。允许吗？[y/N] "),
        (
            "{} wants to replace the keys of its bond with weaker ones. Allow it? [y/N] ",
            "{} 要用较弱的密钥替换绑定的密钥。允许吗？[y/N] "
        ),
        ("Does {} display {}? [y/N] ", "{} 显示的是 {} 吗？[y/N] "),
        ("The passkey that {} displays: ", "{} 显示的配对码："),
        ("One to six digits, or an empty line to cancel: ", "一至六位数字，空行取消："),
        ("the disk is full", "磁盘已满"),
        ("the disk quota is used up", "磁盘配额已用完"),
        ("the file would be larger than the limit of this process", "文件会超过本进程的上限"),
        ("this user may not write there", "此用户不能在那里写入"),
        ("its file system is read-only", "它的文件系统是只读的"),
        ("the folder {} does not exist", "文件夹 {} 不存在"),
        ("{} is not a folder", "{} 不是文件夹"),
        ("it is a folder", "它是文件夹"),
        ("the output", "输出"),
        ("the standard input", "标准输入"),
        ("No such file or directory", "没有那个文件或文件夹"),
        ("Permission denied", "权限不足"),
        ("Is a directory", "是文件夹"),
        ("Not a directory", "不是文件夹"),
        ("File exists", "文件已存在"),
        ("No space left on device", "磁盘已满"),
        ("Address already in use", "地址已被占用"),
        ("Connection refused", "连接被拒绝"),
        (
            "{} is not a command of {}. Its commands are {}; {} describes them.",
            "{0} 不是 {1} 的命令。它的命令有 {2}；{3} 说明它们。"
        ),
        (
            "{} is not a command of {}. Did you mean {}? Its commands are {}; {} describes them.",
            "{0} 不是 {1} 的命令。是否想写 {2}？它的命令有 {3}；{4} 说明它们。"
        ),
        ("{} has no commands, so there is no help for \"{}\".", "{} 没有命令，所以没有关于“{}”的帮助。"),
        ("the password", "密码"),
        ("the key", "密钥"),
        ("the key of the device", "设备的密钥"),
        ("the key of the gateway", "网关的密钥"),
        ("No virtual radio runs at {}.", "{} 处没有虚拟无线电在运行。"),
        ("--profile is not a shipped profile", "--profile 不是自带的配置文件"),
        ("Did you mean \"{}\"?", "是否想写“{}”？"),
        ("The profiles are {}.", "配置文件有：{}。"),
        ("Did you mean {}? The profiles are {}.", "是否想写 {}？配置文件有：{}。"),
        (
            "{} is the address for the way {}, which is not chosen (Try: give {}).",
            "{} 是途径 {} 的地址，而该途径没有选择（请试：给出 {}）。"
        ),
        ("{part}, not \"{}\".", "{}，不能是“{}”。"),
    ]
}
