// The texts of the scenes: what each one shows, what to look at, and what to do next. Between the first and the last brace it is JSON: a test
// reads it. The names of choices and actions are those of Sources/Studio/StudioRoom/Scenes.
export const scenes = {
  "tour-central": {
    "en": { "title": "The phone: 23 steps of a central", "text": "A phone finds a wristband, reads, writes and subscribes. Each step is one line of Swift, a sentence, and the octets on the air." },
    "zh": { "title": "手机：中心模式的 23 步", "text": "手机找到手环，读、写、订阅。每一步都是一行 Swift、一句话和空中的字节。" }
  },
  "tour-peripheral": {
    "en": { "title": "The wristband: 14 steps of a peripheral", "text": "The same meeting, seen from the device: publish, advertise, answer, notify." },
    "zh": { "title": "手环：外设模式的 14 步", "text": "同一次通信，从设备这边看：发布、广播、回应、通知。" }
  },
  "try-filter": {
    "en": { "title": "Change the service filter", "text": "The phone scans for one service. The gadget advertises FF00. Choose another UUID and run again.", "look": "With a UUID that does not match there is silence: no callback and no error. The packets arrive all the same; the phone drops them, because none of them names the service.", "next": "A device that has a service but does not advertise it is also missed. Scan without a filter to find it.",
      "choices": { "filter": { "": "Service filter", "FF00": "FF00: matches", "180F": "180F: battery", "FFF0": "FFF0: a typing error", "none": "none: all devices" } } },
    "zh": { "title": "修改服务过滤条件", "text": "手机只扫描一个服务，设备广播的是 FF00。换一个 UUID 再运行。", "look": "UUID 不匹配时一片安静：没有回调，也没有错误。数据包其实到了，只是里面没有这个服务，被手机丢弃了。", "next": "设备有某个服务却没有广播它，同样扫描不到。不加过滤条件就能找到。",
      "choices": { "filter": { "": "服务过滤", "FF00": "FF00：匹配", "180F": "180F：电池", "FFF0": "FFF0：写错了", "none": "none：所有设备" } } }
  },
  "try-properties": {
    "en": { "title": "Change the properties", "text": "The phone reads, writes and subscribes without a look at the properties. Choose which of the three the gadget allows.", "look": "Each refusal arrives as the error of its own callback. The device refuses with an ATT error on the air; a subscription without the property fails before any packet is sent.", "next": "Check characteristic.properties before a call, and show the error if there is one.",
      "choices": { "properties": { "": "The gadget allows", "read": "read only", "read write": "read and write", "read write notify": "read, write, notify", "write": "write only", "notify": "notify only" } } },
    "zh": { "title": "修改特征的属性", "text": "手机不看属性就读、写、订阅。选择设备允许其中哪些。", "look": "每次拒绝都作为对应回调的 error 到来。设备在空中用 ATT 错误拒绝；没有通知属性的订阅，在发送数据包之前就失败了。", "next": "调用之前检查 characteristic.properties；有错误就显示出来。",
      "choices": { "properties": { "": "设备允许", "read": "只读", "read write": "读和写", "read write notify": "读、写、通知", "write": "只写", "notify": "只通知" } } }
  },
  "try-mtu": {
    "en": { "title": "Change the ATT_MTU", "text": "Phone and gadget agree on the largest attribute packet: the smaller of two offers. Choose the gadget's offer; the phone reads 150 octets.", "look": "With 23 a packet has room for 22 octets of the value, so one read becomes seven requests. With 185 it is one. The delegate sees no difference but the time.", "next": "Never write the number 20 into a program: ask maximumWriteValueLength(for:).",
      "choices": { "mtu": { "": "The gadget offers", "23": "23 octets", "64": "64 octets", "185": "185 octets", "517": "517 octets" } } },
    "zh": { "title": "修改 ATT_MTU", "text": "双方约定最大的属性数据包，取两个数里较小的一个。选择设备提出的大小，手机会读取 150 个字节。", "look": "为 23 时，一包只能放 22 个字节的值，一次读取变成七个请求；为 185 时只要一个。代理方法看到的只有时间不同。", "next": "不要把 20 写死在程序里，用 maximumWriteValueLength(for:) 查询。",
      "choices": { "mtu": { "": "设备提出", "23": "23 字节", "64": "64 字节", "185": "185 字节", "517": "517 字节" } } }
  },
  "try-interval": {
    "en": { "title": "Change the connection interval", "text": "The two devices meet at fixed times, and sleep in between. After the subscription the gadget asks for another interval; the phone reads five times.", "look": "A read waits for the next meeting: up to one interval for the request, and up to another for the answer. Compare the milliseconds.", "next": "Short intervals are quick and cost energy. Only the peripheral asks, with setDesiredConnectionLatency, and the phone decides.",
      "choices": { "latency": { "": "The gadget asks for", "low": "low: 15 to 30 ms", "medium": "medium: 60 to 90 ms", "high": "high: 300 to 400 ms" } } },
    "zh": { "title": "修改连接间隔", "text": "双方在固定的时刻通信，其余时间休眠。订阅之后设备请求另一个间隔，手机读取五次。", "look": "一次读取要等下一次通信：请求最多等一个间隔，回应最多再等一个。比较毫秒数。", "next": "间隔短就快，但耗电。只有外设可以用 setDesiredConnectionLatency 请求，由手机决定。",
      "choices": { "latency": { "": "设备请求", "low": "low：15 到 30 毫秒", "medium": "medium：60 到 90 毫秒", "high": "high：300 到 400 毫秒" } } }
  },
  "try-drop": {
    "en": { "title": "Drop the link", "text": "The phone is subscribed to the gadget. Run it until it is connected, then lose the link in one of four ways.", "look": "Behind the wall, far away or without power, the device is simply not heard. The phone waits for the supervision timeout, 2 s, and then didDisconnectPeripheral comes with an error. After cancelPeripheralConnection it comes at once, without an error.", "next": "Bring the device back: the program called connect in didDisconnectPeripheral, and that call waits as long as it takes.",
      "actions": { "wall": "Build a wall between them", "walk": "Walk 1.5 km away", "back": "Walk back", "off": "Cut the gadget's power", "on": "Switch the gadget on", "cancel": "Cancel the connection" } },
    "zh": { "title": "断开链路", "text": "手机订阅了设备。先运行到连接成功，再用四种方式之一断开链路。", "look": "在墙后、走远或断电，都只是听不到设备。手机等待监督超时（2 秒），然后 didDisconnectPeripheral 带着错误到来。而 cancelPeripheralConnection 之后它马上到来，没有错误。", "next": "让设备回来：程序在 didDisconnectPeripheral 里调用了 connect，这个调用会一直等待。",
      "actions": { "wall": "在中间砌一堵墙", "walk": "走到 1.5 公里外", "back": "走回来", "off": "切断设备电源", "on": "打开设备", "cancel": "取消连接" } }
  },
  "q1": {
    "en": { "title": "The scan finds nothing", "text": "Two phones, one device. The hasty phone scans at once; the patient one waits for powered on.", "look": "The hasty phone hears one callback, its state, and nothing else. No error tells it why.", "next": "Start the scan in centralManagerDidUpdateState." },
    "zh": { "title": "扫描不到设备", "text": "两部手机，一个设备。心急的手机马上扫描，耐心的手机等到 poweredOn。", "look": "心急的手机只收到一个回调：状态。之后什么也没有，也没有错误说明原因。", "next": "在 centralManagerDidUpdateState 里开始扫描。" }
  },
  "q2": {
    "en": { "title": "A renamed device keeps its old name", "text": "The phone connects once, and the system reads the device's own name. Then rename the device.", "look": "peripheral.name stays, and the advertised name changes: two names from two places.", "next": "Choose devices by CBAdvertisementDataLocalNameKey.", "actions": { "rename": "Rename the device" } },
    "zh": { "title": "设备改名后仍显示旧名称", "text": "手机连接一次，系统会读取设备自己的名字。然后给设备改名。", "look": "peripheral.name 不变，广播的名字变了：两个名字来自两个地方。", "next": "用 CBAdvertisementDataLocalNameKey 选择设备。", "actions": { "rename": "给设备改名" } }
  },
  "q3": {
    "en": { "title": "The disconnection comes late", "text": "Run until the phone is subscribed. Then end the link politely, connect again, and cut the power.", "look": "After cancelPeripheralConnection the device knows within some milliseconds. Without power it says nothing, and the phone waits 2 s, the supervision timeout.", "next": "Show the state of a link only after didDisconnectPeripheral.", "actions": { "cancel": "Cancel the connection", "connect": "Connect again", "off": "Cut the device's power", "on": "Switch the device on" } },
    "zh": { "title": "断开后过几秒才知道", "text": "先运行到手机订阅成功，再主动断开，重新连接，然后切断电源。", "look": "cancelPeripheralConnection 之后，设备几毫秒内就知道。断电时设备什么也说不了，手机要等 2 秒的监督超时。", "next": "收到 didDisconnectPeripheral 之后再显示断开状态。", "actions": { "cancel": "取消连接", "connect": "重新连接", "off": "切断设备电源", "on": "打开设备" } }
  },
  "q4": {
    "en": { "title": "Work in the background", "text": "The phone scans, and the device has no power. Run it, let an hour pass, and switch the device on.", "look": "The scan still works after an hour: Linux does not suspend programs. An iPhone would need a background mode and a service filter.", "next": "Let systemd start and restart such a program.", "actions": { "hour": "Let an hour pass", "on": "Switch the device on" } },
    "zh": { "title": "后台运行", "text": "手机在扫描，设备没有电。先运行，让时间过去一小时，再打开设备。", "look": "一小时后扫描仍然有效：Linux 不会挂起程序。在 iPhone 上需要后台模式和服务过滤条件。", "next": "可以由 systemd 启动和重启这样的程序。", "actions": { "hour": "过一小时", "on": "打开设备" } }
  },
  "q5": {
    "en": { "title": "The largest distance", "text": "Three devices at 10, 100 and 400 m. Choose what is in between.", "look": "How fast the signal fades decides who is heard: all three in the open, two in an office, one through obstacles. There is no limit of 10 m.", "next": "In the room, drag a device and watch its signal.", "choices": { "exponent": { "": "Surroundings", "2.5": "an office (2.5)", "2": "open space (2)", "4": "obstacles (4)" } } },
    "zh": { "title": "最远的距离", "text": "三个设备，分别在 10、100、400 米处。选择中间是什么环境。", "look": "信号衰减的快慢决定能听到谁：空旷处三个，办公室两个，有障碍物时一个。没有 10 米的限制。", "next": "在房间里拖动设备，看信号怎么变。", "choices": { "exponent": { "": "环境", "2.5": "办公室（2.5）", "2": "空旷处（2）", "4": "有障碍物（4）" } } }
  },
  "q6": {
    "en": { "title": "The time to connect", "text": "The phone connects ten times and measures.", "look": "Most of the time is spent waiting for the next advertisement, which comes every 30 ms or so. The rest is a few packets.", "next": "connect has no time limit of its own: start a timer if the program needs one." },
    "zh": { "title": "连接需要多长时间", "text": "手机连接十次并计时。", "look": "大部分时间在等下一次广播，大约每 30 毫秒一次；其余只是几个数据包。", "next": "connect 本身没有超时：需要时限的程序要自己计时。" }
  },
  "q7": {
    "en": { "title": "Several devices at once", "text": "One phone and twelve devices, each of which sends a value every second.", "look": "All twelve stay connected. Each link has its own times and channels, and all share the air.", "next": "Keep a reference to every CBPeripheral, and tell them apart by the parameter of the callback." },
    "zh": { "title": "同时连接多台设备", "text": "一部手机和十二个设备，每个设备每秒发送一个值。", "look": "十二个设备都保持连接。每条链路有自己的时间和信道，共享空中时间。", "next": "持有每个 CBPeripheral，用回调的参数区分它们。" }
  },
  "q8": {
    "en": { "title": "Complete data", "text": "24,000 octets over a radio that loses packets. The device checks every octet.", "look": "Lost packets are sent again until they are acknowledged, so everything arrives in order. It only takes longer.", "next": "Agree on a length and a checksum: the link can end in the middle.", "choices": { "loss": { "": "Lost packets", "0.2": "20 %", "0": "none", "0.5": "50 %" } } },
    "zh": { "title": "如何保证数据完整", "text": "在会丢包的无线环境中发送 24000 个字节，设备检查每个字节。", "look": "丢失的数据包会重发，直到对方确认，所以全部按顺序到达，只是慢一些。", "next": "约定长度和校验值：链路可能在中途断开。", "choices": { "loss": { "": "丢包率", "0.2": "20 %", "0": "不丢包", "0.5": "50 %" } } }
  },
  "q9": {
    "en": { "title": "Three ways to reconnect", "text": "Run until connected, cancel, and come back in one of three ways.", "look": "The list of connected devices is empty after you cancelled, and has one device before. The identifier finds the device without a scan.", "next": "Keep peripheral.identifier in a file.", "actions": { "cancel": "Cancel the connection", "scan": "1. Scan again", "connected": "2. Ask for connected devices", "known": "3. Use the identifier" } },
    "zh": { "title": "三种重连方式", "text": "运行到连接成功，取消连接，再用三种方式之一回来。", "look": "取消之后，已连接设备的列表是空的，之前有一个。用标识符不用扫描就能找到设备。", "next": "把 peripheral.identifier 保存到文件里。", "actions": { "cancel": "取消连接", "scan": "1. 重新扫描", "connected": "2. 查询已连接的设备", "known": "3. 用标识符" } }
  },
  "q10": {
    "en": { "title": "Devices that are paired", "text": "The gadget's value can be read only over an encrypted link. The phone just reads it.", "look": "The first read is refused, the system pairs, and the read succeeds: look for the SMP packets. The program wrote no line for it.", "next": "CoreBluetooth lists no paired devices. The product BluetoothPairing does." },
    "zh": { "title": "获取配对的设备", "text": "设备的值只能在加密的链路上读取。手机直接去读。", "look": "第一次读取被拒绝，系统完成配对，然后读取成功：看 SMP 数据包。程序没有为此写一行代码。", "next": "CoreBluetooth 不能列出已配对的设备，BluetoothPairing 可以。" }
  },
  "q11": {
    "en": { "title": "Tools", "text": "A phone and three devices to look at.", "look": "Run it, then open the packet list, select a packet and point at a field. The explorer scans, connects and reads like LightBlue.", "next": "The same in a terminal: bluelab scan, bluelab explore." },
    "zh": { "title": "调试工具", "text": "一部手机和三个可以观察的设备。", "look": "运行之后打开数据包列表，选一个数据包，指向一个字段。探索器像 LightBlue 一样扫描、连接、读取。", "next": "在终端里也可以：bluelab scan、bluelab explore。" }
  },
  "q12": {
    "en": { "title": "The address of a device", "text": "The phone gets an identifier, not the address. The scale publishes the address of its label in a characteristic.", "look": "The identifier is a random UUID of this phone. The address arrives as eight octets of 2A23, the lowest first.", "next": "Ask the makers of the device to publish what your program needs." },
    "zh": { "title": "获取设备的 MAC 地址", "text": "手机得到的是标识符，不是地址。体重秤把标签上的地址放在一个特征里。", "look": "标识符是这部手机生成的随机 UUID。地址在 2A23 的八个字节里，低字节在前。", "next": "请设备厂商公布程序需要的信息。" }
  },
  "q13": {
    "en": { "title": "Two phones do not find each other", "text": "Both phones scan. Nobody advertises.", "look": "Two listeners hear nothing. After one of them advertises, the other finds it; a phone does not hear itself.", "next": "One of them needs a CBPeripheralManager.", "actions": { "advertise": "Let phone 1 advertise" } },
    "zh": { "title": "两部手机互相搜不到", "text": "两部手机都在扫描，没有谁在广播。", "look": "两个都只听，什么也听不到。其中一个开始广播后，另一个就能找到它；手机听不到自己。", "next": "其中一方需要 CBPeripheralManager。", "actions": { "advertise": "让手机 1 广播" } }
  },
  "q14": {
    "en": { "title": "Large data: slow or lossy", "text": "1,200 parts of 20 octets, sent in one of four ways.", "look": "With responses every part waits for an answer. Twelve parts and a pause take 10 s. With flow control it is under 3 s, and nothing is lost. Twenty thousand parts at once overflow the queue: the device receives only a part of them.", "next": "Send while canSendWriteWithoutResponse is true, and go on in peripheralIsReady.", "choices": { "way": { "": "Way of sending", "pauses": "12 parts, then 100 ms", "response": "with response", "flow": "with flow control", "careless": "all at once (20,000)" } } },
    "zh": { "title": "大数据：太慢或者丢失", "text": "1200 包，每包 20 字节，用四种方式之一发送。", "look": "带响应时每包都要等回应。每 12 包停 100 毫秒要 10 秒。用流量控制不到 3 秒，一包不丢。一次写入两万包，队列会溢出：设备只收到一部分。", "next": "canSendWriteWithoutResponse 为 true 时发送，在 peripheralIsReady 里继续。", "choices": { "way": { "": "发送方式", "pauses": "每 12 包停 100 毫秒", "response": "带响应", "flow": "流量控制", "careless": "一次全发（20000 包）" } } }
  }
};
