/// Help and lines of the commands that run world files.
extension ToolWords {
    static let worldHelp: [(String, String)] = [
        ("Run worlds from files in virtual time, and check what they expect.", "在虚拟时间中运行文件描述的世界，并检查它们的期望。"),
        (
            "A world file describes devices, their places, what happens at which time, and what is expected. Its devices run programs, profiles and scripts of bluelab run. Documentation/Worlds.md describes the format. No adapter is needed, and ten minutes of a world take milliseconds to seconds.",
            "世界文件描述设备、它们的位置、何时发生什么，以及期望的结果。其中的设备运行程序、配置文件和 bluelab run 的脚本。Documentation/Worlds.md 说明格式。不需要适配器；世界中的十分钟只需几毫秒到几秒。"
        ),
        (
            "The exit code is 0 if all steps of scripts and all expectations hold, 1 if one does not, and 2 for a file with errors.",
            "脚本的所有步骤和所有期望都成立时退出码是 0，有一个不成立时是 1，文件有错误时是 2。"
        ),
        (
            "The worlds corridor, factory, office and readme are part of bluelab: their names need no file.",
            "bluelab 自带 corridor、factory、office 和 readme 这几个世界：写名称即可，不需要文件。"
        ),
        ("The world files, or the names of shipped worlds.", "世界文件，或自带世界的名称。"),
        ("Determines all random draws. Default: the seed of the file.", "决定所有随机数。默认是文件中的种子。"),
        (
            "With --stress, devices have faults that a number selects. If a check is broken then, the command prints the command line that repeats the run, and the smallest set of these faults with which a check is broken.",
            "用 --stress 时，设备会有由一个数字选定的故障。如果这时有检查不成立，命令会打印重复这次运行的命令行，以及使检查不成立的最小故障集合。"
        ),
        (
            "Selects faults of the devices. Default: the key stress of the file.", "选定设备的故障。默认是文件中的键 stress。"
        ),
        (
            "The longest time of a world in virtual seconds. The rest counts as broken. Default: 86400.",
            "一个世界最长的虚拟时间，秒。其余的算作不成立。默认是 86400。"
        ),
        (
            "Print the lines of the programs and the changes of the world as well.", "同时打印程序的输出行和世界的变化。"
        ),
        (
            "Run the devices and events of a world on the radio: a file, or a shipped world such as readme; see bluelab help test.",
            "在无线电上运行一个世界的设备和事件：文件，或 readme 这样的自带世界；见 bluelab help test。"
        ),
        (
            "Determines all random draws of the radio. Default: the seed of --world, or 1.",
            "决定无线电的所有随机数。默认是 --world 的种子，否则是 1。"
        ),
        (
            "Open a world in the room: a file, or a shipped world such as office; see bluelab help test. The room before it can be brought back.",
            "在房间里打开一个世界：文件，或 office 这样的自带世界；见 bluelab help test。之前的房间可以恢复。"
        ),
        (
            "Show the packets of a capture of any devices (btsnoop, pcapng or pcap; - reads the standard input), and what bluelab explain tells about them.",
            "显示任何设备的抓包文件（btsnoop、pcapng 或 pcap；- 表示标准输入）中的数据包，以及 bluelab explain 的说明。"
        ),
    ]

    static let worldLines: [(String, String)] = [
        ("a port must be a whole number from 0 to 65535.", "端口必须是 0 至 65535 的整数。"),
        ("--world and --scene cannot be used together.", "--world 和 --scene 不能一起使用。"),
        ("test takes the paths of world files.", "test 需要世界文件的路径。"),
        (
            "there is no shipped world \"{}\"; a file needs the suffix .yaml or a slash.",
            "没有名为“{}”的自带世界；文件需要后缀 .yaml 或一个斜杠。"
        ),
        ("The worlds are {}.", "自带的世界有：{}。"),
        ("Did you mean {}? The worlds are {}.", "是否想写 {}？自带的世界有：{}。"),
        ("--events and --json cannot be used together.", "--events 和 --json 不能一起使用。"),
        (
            "{} has no scripts and no expectations, so there is nothing to test.", "{} 没有脚本也没有期望，所以没有可检查的内容。"
        ),
        ("Documentation/Worlds.md describes the format.", "Documentation/Worlds.md 说明格式。"),
        ("{} is not a world: {} errors.", "{} 不是世界文件：{} 个错误。"),
        ("the run ended at {}.", "运行在 {} 结束。"),
        ("{} of {} passed in {} of virtual time", "{1} 项中有 {0} 项通过，虚拟时间 {2}"),
        ("expectations", "期望"), ("stress {}: no faults", "压力 {}：没有故障"), ("stress {}: {}", "压力 {}：{}"),
        ("Repeat this run: {}", "重复这次运行：{}"),
        ("A check is broken without these faults, too.", "没有这些故障时，也有检查不成立。"),
        ("These faults are enough: {}", "有这些故障就足够：{}"),
    ]
}
