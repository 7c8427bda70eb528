/// What a virtual radio refuses, and why none is reached.
extension ToolWords {
    static let radioProblems: [(String, String)] = [
        ("No virtual radio runs at {}: start it with {}.", "{} 处没有虚拟无线电在运行：请用 {} 启动它。"),
        (
            "A virtual radio runs at {} already: use it, or give this one a name with --name NAME.",
            "{} 处已有虚拟无线电在运行：请使用它，或用 --name NAME 给这一个取名。"
        ),
        ("The virtual radio at {} does not answer: restart it.", "{} 处的虚拟无线电没有回答：请重新启动它。"),
        ("What is at {} is no virtual radio: remove it.", "{} 处不是虚拟无线电：请移除它。"),
        (
            "The virtual radio at {} has too many connections to its control socket, or has just ended: try again.",
            "{} 处的虚拟无线电的控制套接字连接过多，或者它刚刚结束：请再试一次。"
        ),
        (
            "\"{}\" is no name for a radio: it has 1 to 32 letters, digits, hyphens and underscores.",
            "“{}”不能作为无线电的名称：名称由 1 至 32 个字母、数字、连字符和下划线组成。"
        ),
        (
            "{} cannot be made ({}): XDG_RUNTIME_DIR names no directory of this user's, so unset it or correct it, for the programs that join, too.",
            "无法创建 {}（{}）：XDG_RUNTIME_DIR 没有指向此用户的目录，请取消或改正它，加入的程序也一样。"
        ),
        ("{} cannot be made: {}.", "无法创建 {}：{}。"),
        ("{} cannot be examined: {}.", "无法检查 {}：{}。"),
        ("{} is no directory, so no virtual radio is looked for there: remove it.", "{} 不是目录，所以不在那里查找虚拟无线电：请移除它。"),
        (
            "{} belongs to user {}, not to user {}, so no virtual radio is looked for there: remove it, or set XDG_RUNTIME_DIR.",
            "{} 属于用户 {}，不属于用户 {}，所以不在那里查找虚拟无线电：请移除它，或设置 XDG_RUNTIME_DIR。"
        ),
        (
            "Others may write to {}, so no virtual radio is looked for there: run chmod 700 {}.",
            "其他用户可以写入 {}，所以不在那里查找虚拟无线电：请运行 chmod 700 {}。"
        ),
        ("The radio refused the request.", "无线电拒绝了请求。"),
        (
            "{} is not a name for a beacon: write 1 to 32 letters, digits, hyphens, dots and underscores, but neither a number nor all.",
            "{} 不能作为信标的名称：请写 1 至 32 个字母、数字、连字符、点和下划线，不能是数字或 all。"
        ),
        ("There is a device {} already: choose another name, or remove that one first.", "已有设备 {}：请选择其他名称，或先移除那一个。"),
        ("There are {} beacons already: remove one first.", "已有 {} 个信标：请先移除一个。"),
        ("{} is not of the form KEY=VALUE: {}.", "{} 不是 KEY=VALUE 的形式：{}。"),
        ("The beacon {} cannot be added: try again.", "无法添加信标 {}：请再试一次。"),
        ("{} is a program, not a beacon: drop {} breaks its connection.", "{} 是程序，不是信标：drop {} 会断开它的连接。"),
        ("{} sets the same value as another key of this line: write one of them.", "{} 与此行的另一个键设置同一个值：请只写其中一个。"),
        ("{} is not an interval: write milliseconds from 20 to 10240.", "{} 不是间隔：请写 20 至 10240 毫秒。"),
        ("{} is not a transmit power: write dBm from -127 to 20.", "{} 不是发射功率：请写 -127 至 20 dBm。"),
        ("{} is not a position: write X,Y or X,Y,Z in metres.", "{} 不是位置：请写以米为单位的 X,Y 或 X,Y,Z。"),
        ("{} is not a key of a beacon: {}.", "{} 不是信标的键：{}。"),
        (
            "Only a directed beacon has a target, and it needs one: write type=directed target=ADDRESS.",
            "只有定向的信标有目标，而且必须有一个：请写 type=directed target=ADDRESS。"
        ),
        ("A directed beacon carries no data: leave data and response out.", "定向的信标不带数据：请去掉 data 和 response。"),
        ("A non-connectable beacon sends no scan response: write type=scannable.", "不可连接的信标不发送扫描响应：请写 type=scannable。"),
        (
            "{} is not an advertising type: write connectable, scannable, nonconnectable or directed.",
            "{} 不是广播类型：请写 connectable、scannable、nonconnectable 或 directed。"
        ),
        ("{} is not data: write pairs of hexadecimal digits without spaces.", "{} 不是数据：请写成对的十六进制数字，不含空格。"),
        ("These are {} octets: advertising data and a scan response have at most 31.", "这有 {} 字节：广播数据和扫描响应最多 31 字节。"),
        ("{} is no random address of a device: write {}.", "{} 不是设备的随机地址：请写 {}。"),
        ("{} is no public address of a device: write {}.", "{} 不是设备的公共地址：请写 {}。"),
        ("{} is not a loss: write a percentage from 0 to 100.", "{} 不是丢包率：请写 0 至 100 的百分数。"),
        ("{} is not a command of a radio: write {}.", "{} 不是无线电的命令：请写 {}。"),
        ("There is no device {} on this radio: list shows the devices.", "此无线电上没有设备 {}：list 会列出设备。"),
        ("{} is not a coordinate: write a number of metres, at most 100000.", "{} 不是坐标：请写以米为单位的数，最大 100000。"),
        ("{} is not an attenuation: write a number of decibels from 0 to 200.", "{} 不是衰减：请写 0 至 200 的分贝数。"),
        ("There are {} walls already: remove one first.", "已有 {} 面墙：请先移除一面。"),
        ("There is no wall {}: wall list shows the walls.", "没有墙 {}：wall list 会列出墙。"),
    ]
}
