"""The texts of the site that no page of the repository has, in both languages."""

WORDS = {
    "en": {
        "lang": "en", "other": "中文", "otherLang": "zh-CN", "onlyHere": "This page is in English only: to the Chinese index",
        "search": "Search", "none": "Nothing found.", "menu": "Contents", "here": "On this page", "theme": "Colours: system, light, dark", "skip": "Skip to the content",
        "home": "Home", "index": "All pages", "source": "This page in the repository", "play": "Play the lesson", "read": "Read me first",
        "lead": "CoreBluetooth for Linux, in Swift. Programs for Apple's CoreBluetooth compile on Linux, and use Bluetooth Low Energy on a real controller or on a "
                "virtual radio that needs no hardware.",
        "playText": "The 23 steps of a central, the 14 of a peripheral, and a scene for each of fourteen questions: Swift, words and octets side by side. It plays here, "
                    "without a server.",
        "guides": "What do you want to do?", "learn": "Learn", "picture": "The room of the studio: a phone connected to a wristband, the packets between them, and time at the bottom",
        "reference": "Reference", "referenceText": "The products of the package with their types, made by DocC from the comments of the sources.",
        "referenceServer": "These pages need a web server: they do not open from a file. Start one with",
        "referenceMissing": "This copy of the site was made without the reference. Make it with",
        "lessonMissing": "This copy of the site was made without the recordings of the lesson. The studio shows the lesson live:",
        "lesson": "The lesson", "manual": "The manual",
    },
    "zh": {
        "lang": "zh-CN", "other": "English", "otherLang": "en", "onlyHere": "到英文目录",
        "search": "搜索", "none": "没有找到。", "menu": "目录", "here": "本页内容", "theme": "配色：跟随系统、浅色、深色", "skip": "跳到内容",
        "home": "首页", "index": "全部页面", "source": "仓库中的这一页", "play": "播放课程", "read": "先读这里",
        "lead": "Linux 上的 CoreBluetooth，用 Swift 编写。为苹果 CoreBluetooth 编写的程序可以在 Linux 上编译，使用真实的控制器或不需要硬件的虚拟无线电进行低功耗蓝牙通信。",
        "playText": "中心设备的 23 步、外设的 14 步，以及十四个问题各自的场景：Swift、文字和字节并列。在这里就能播放，不需要服务器。",
        "guides": "你想做什么？", "learn": "学习", "picture": "工作室的房间：手机连接着手环，它们之间的数据包，下面是时间",
        "reference": "参考", "referenceText": "本软件包的各个产品和它们的类型，由 DocC 根据源代码的注释生成（英文）。",
        "referenceServer": "这些页面需要网页服务器，不能直接从文件打开。可以这样启动一个：",
        "referenceMissing": "这份网站没有包含参考。用下面的命令生成：",
        "lessonMissing": "这份网站没有包含课程的录制。工作室可以现场播放课程：",
        "lesson": "课程", "manual": "手册（英文）",
    },
}

PRODUCTS = ["CoreBluetooth", "BluetoothPairing", "BLESimulator", "BLEPacketDecoding", "BLEBeacons", "BLEPeriodic", "BLETransfer", "ImprovWiFi", "DeviceLink"]
