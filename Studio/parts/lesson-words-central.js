// The texts of the central's steps. Everything between the first and the last brace is JSON: a test reads it.
// A mark `{x|words}` belongs to marks.x: [a part of the Swift lines, the packet and field whose octets light up].
export const central = {
  "1": {
    "marks": { "m": ["CBCentralManager", null], "d": ["delegate: self", null], "q": ["queue: queue", null] },
    "en": { "title": "Create the central manager", "text": "{m|The central manager} connects your program with the Bluetooth controller. {d|Its delegate} is this object: all answers come to it, on {q|this queue}. Nothing is on the air yet, and no command works before step 2." },
    "zh": { "title": "建立中心角色", "text": "{m|中心管理器}把程序和蓝牙控制器连接起来。{d|它的代理}就是这个对象：所有回应都在{q|这个队列}上交给它。此时空中还没有数据包，第 2 步之前任何命令都不起作用。" }
  },
  "2": {
    "marks": { "s": ["centralManagerDidUpdateState", null], "c": ["central", null] },
    "en": { "title": "The state of Bluetooth arrives", "text": "{s|This delegate method} must exist. It comes once after the initialiser and after each change. {c|The manager} accepts commands in the state powered on; a scan that starts earlier is ignored, and that is the most frequent beginner's error." },
    "zh": { "title": "检测中心设备状态", "text": "{s|这个代理方法}必须实现。创建管理器之后会调用一次，以后每次状态变化都会调用。{c|管理器}只有在 poweredOn 状态下才接受命令；更早开始的扫描会被忽略，这是初学者最常见的错误。" }
  },
  "3": {
    "marks": { "a": ["scanForPeripherals", "ADV_IND"], "n": ["withServices: nil", null], "o": ["options: nil", null] },
    "en": { "title": "Scan", "text": "{a|Listen for advertisements}. An advertisement is a short packet that a device sends several times a second so that others find it. {n|nil accepts every device}; a list of services accepts only devices that advertise one of them. {o|Without options} each device is reported once." },
    "zh": { "title": "发起扫描外设", "text": "{a|监听广播}。广播是设备每秒发送几次的短数据包，让别人能找到它。{n|nil 表示接受所有设备}；给出服务列表时，只报告广播了其中某个服务的设备。{o|不给选项}时每个设备只报告一次。" }
  },
  "4": {
    "marks": { "p": ["didDiscover peripheral", "ADV_IND/address"], "a": ["advertisementData", "ADV_IND/^(?!.*(header|address))"], "r": ["rssi RSSI", null] },
    "en": { "title": "A device is discovered", "text": "The device is {p|a CBPeripheral}; keep a reference to it, or nothing further arrives. {a|The advertisement} has at most 31 octets: flags, a service and the name. The phone also asked for more with SCAN_REQ, and SCAN_RSP brought nothing new. {r|The RSSI} is the strength of the received signal in dBm: closer to zero is stronger." },
    "zh": { "title": "发现外设", "text": "设备是{p|一个 CBPeripheral}，必须持有它，否则收不到后面的回调。{a|广播内容}最多 31 个字节：标志、服务和名字。手机还用 SCAN_REQ 询问更多内容，SCAN_RSP 没有带来新东西。{r|RSSI} 是收到的信号强度，单位 dBm，越接近零越强。" }
  },
  "5": {
    "marks": { "c": ["central.connect", "CONNECT_IND"], "p": ["peripheral", "CONNECT_IND/advertiser"], "o": ["options: nil", "CONNECT_IND/interval"] },
    "en": { "title": "Connect", "text": "{c|The phone answers an advertisement} of {p|this device} with CONNECT_IND, and both follow the same plan of channels and times from then on: {o|the system chooses the connection interval}, here 30 ms. The call has no time limit. It waits until the device is in range, or until you cancel it." },
    "zh": { "title": "发起连接外设", "text": "{c|手机用 CONNECT_IND 回应}{p|这个设备}的一次广播，此后双方按同样的信道和时间表通信：{o|连接间隔由系统决定}，这里是 30 毫秒。这个调用没有超时，会一直等到设备进入范围，或者你取消它。" }
  },
  "6": {
    "marks": { "c": ["didConnect", "ATT_EXCHANGE_MTU_RSP"], "p": ["peripheral: CBPeripheral", null] },
    "en": { "title": "Connected", "text": "{c|The link exists} before your program hears of it. Both controllers have agreed on longer packets and the faster 2M radio, and both hosts on the ATT_MTU, the largest attribute packet. None of it costs you a line. Now {p|the peripheral} accepts requests." },
    "zh": { "title": "连接外设成功", "text": "程序得知之前，{c|链路已经建立}：两边的控制器协商了更长的数据包和更快的 2M 速率，两边的主机协商了 ATT_MTU，即最大的属性数据包。这些都不用写代码。现在{p|外设}可以接受请求了。" }
  },
  "7": {
    "marks": { "d": ["peripheral.delegate = self", null], "s": ["discoverServices", "ATT_READ_BY_GROUP_TYPE_REQ/type"], "n": ["(nil)", "ATT_READ_BY_GROUP_TYPE_REQ/handle"] },
    "en": { "title": "Discover the services", "text": "{d|The peripheral has a delegate of its own}; without it the answers are lost. A device keeps its data in a table of numbered rows, called handles. The phone asks for {s|all rows of the kind service (2800)}, {n|from the first handle to the last}." },
    "zh": { "title": "设置外设代理，发起扫描服务", "text": "{d|外设有自己的代理}，不设置就收不到回应。设备的数据放在一张带编号的表里，编号叫句柄。手机询问{s|所有类型为服务（2800）的行}，{n|从第一个句柄到最后一个}。" }
  },
  "8": {
    "marks": { "s": ["didDiscoverServices", "ATT_READ_BY_GROUP_TYPE_RSP"], "e": ["error", "ATT_ERROR_RSP"] },
    "en": { "title": "The services are known", "text": "{s|Each answer} lists services with their first and last handle. {e|The last answer is an error}, Attribute Not Found, and is no problem: it says that no more rows follow. The error of the delegate is nil." },
    "zh": { "title": "发现外设的服务", "text": "{s|每个回应}列出服务及其首末句柄。{e|最后一个回应是错误} Attribute Not Found，但这不是问题：它只表示后面没有了。代理方法得到的 error 是 nil。" }
  },
  "9": {
    "marks": { "c": ["discoverCharacteristics", "ATT_READ_BY_TYPE_REQ/type"], "s": ["for: service", "ATT_READ_BY_TYPE_REQ/handle"] },
    "en": { "title": "Discover the characteristics", "text": "A characteristic is one value of a service, with its rules. The phone asks for {c|all rows of the kind characteristic (2803)} {s|within the handles of the service}. One request at a time: the second service waits for the first." },
    "zh": { "title": "发起发现外设的服务的特征", "text": "特征是服务里的一个值以及它的规则。手机{s|在该服务的句柄范围内}询问{c|所有类型为特征（2803）的行}。一次只有一个请求：第二个服务要等第一个完成。" }
  },
  "10": {
    "marks": { "c": ["didDiscoverCharacteristicsFor", "ATT_READ_BY_TYPE_RSP"], "s": ["service: CBService", null] },
    "en": { "title": "The characteristics are known", "text": "{c|Each entry} holds the properties (read, write, notify), the handle of the value and the UUID. Check the properties before you use a characteristic. The method comes once for {s|each service}." },
    "zh": { "title": "发现外设的服务的特征", "text": "{c|每一项}包含属性（读、写、通知）、值的句柄和 UUID。使用特征之前先检查属性。{s|每个服务}调用一次这个方法。" }
  },
  "11": {
    "marks": { "r": ["readValue", "ATT_READ_REQ/opcode"], "c": ["for: characteristic", "ATT_READ_REQ/handle"] },
    "en": { "title": "Read a value", "text": "{r|A read request} carries only the number of the row: {c|the handle of the value}. The UUID is not sent again. That is why discovery comes first." },
    "zh": { "title": "发起读取特征值", "text": "{r|读请求}里只有行的编号，也就是{c|值的句柄}，不再发送 UUID。所以要先发现特征。" }
  },
  "12": {
    "marks": { "u": ["didUpdateValueFor", "ATT_READ_RSP/opcode"], "c": ["characteristic: CBCharacteristic", "ATT_READ_RSP/value"] },
    "en": { "title": "The value arrives", "text": "{u|The answer} has {c|the octets of the value}, now in characteristic.value. What they mean is an agreement between the device and your program: 02 is the wrist in the table of the Bluetooth SIG. Notifications come to this method, too." },
    "zh": { "title": "得到特征值", "text": "{u|回应}里是{c|值的字节}，现在在 characteristic.value 里。字节的含义由设备和程序约定：在蓝牙 SIG 的表里 02 表示手腕。通知也会进入这个方法。" }
  },
  "13": {
    "marks": { "v": ["value", "ATT_WRITE_REQ/value"], "c": ["for: characteristic", "ATT_WRITE_REQ/handle"], "t": [".withResponse", "ATT_WRITE_REQ/opcode"] },
    "en": { "title": "Write a value", "text": "Write {v|two octets} to {c|the daily goal}: 10 27 is 10,000 with the lowest octet first. {t|With response}: the device confirms or refuses. Without response is faster, and nobody tells you that a value was refused." },
    "zh": { "title": "发起写入特征值", "text": "把{v|两个字节}写入{c|每日目标}：10 27 就是 10000，低字节在前。{t|带响应}：设备会确认或者拒绝。不带响应更快，但被拒绝时得不到任何消息。" }
  },
  "14": {
    "marks": { "w": ["didWriteValueFor", "ATT_WRITE_RSP"], "e": ["error", null] },
    "en": { "title": "The write is confirmed", "text": "{w|One octet comes back}: the program on the wristband has seen the value and accepted it. A refusal arrives as {e|the error}, with the device's reason." },
    "zh": { "title": "写入特征值成功", "text": "{w|回来一个字节}：手环上的程序收到了这个值并接受了。如果被拒绝，{e|error} 里会有设备给出的原因。" }
  },
  "15": {
    "marks": { "t": ["setNotifyValue(true", "ATT_WRITE_REQ/value"], "c": ["for: characteristic", "ATT_WRITE_REQ/handle"] },
    "en": { "title": "Subscribe", "text": "{t|Ask for notifications}: the device then sends each new value by itself. On the air this is a write of 01 00 to {c|the descriptor 2902} of the characteristic. The phone first looks for that descriptor; your program never writes it." },
    "zh": { "title": "发起设置某个特征的监听通知", "text": "{t|打开通知}：之后设备会主动发送每个新值。在空中，这是向特征的 {c|2902 描述符}写入 01 00。手机先找到这个描述符；程序不能直接写它。" }
  },
  "16": {
    "marks": { "s": ["didUpdateNotificationStateFor", "ATT_WRITE_RSP"], "c": ["characteristic: CBCharacteristic", null] },
    "en": { "title": "The subscription is on", "text": "{s|The device has confirmed}. isNotifying of {c|the characteristic} is true, and from the next second on the pulse arrives in step 12's method, without a request." },
    "zh": { "title": "通知的状态改变", "text": "{s|设备已确认}。{c|特征}的 isNotifying 变为 true；从下一秒起，心率会不经请求就进入第 12 步的方法。" }
  },
  "17": {
    "marks": { "d": ["discoverDescriptors", "ATT_FIND_INFORMATION_REQ/opcode"], "c": ["for: characteristic", "ATT_FIND_INFORMATION_REQ/handle"] },
    "en": { "title": "Discover the descriptors", "text": "Twelve notifications have come. {d|Descriptors} are further rows after the value: a name for people, the switch for notifications. The phone asks for {c|the rows after the value}. Steps 17 to 22 are optional; many programs never need them." },
    "zh": { "title": "发起发现特征的描述", "text": "已经收到十二次通知。{d|描述符}是值后面的其他行：给人看的名称、通知的开关。手机询问{c|值之后的行}。第 17 到 22 步是可选的，很多程序用不到。" }
  },
  "18": {
    "marks": { "d": ["didDiscoverDescriptorsFor", "ATT_FIND_INFORMATION_RSP"], "c": ["characteristic: CBCharacteristic", null] },
    "en": { "title": "The descriptors are known", "text": "{d|The answer} pairs handles and UUIDs: 2902 is the switch for notifications, 2901 the name for people. {c|A characteristic without further rows} needs no packet: its answer is known already." },
    "zh": { "title": "发现特征的描述", "text": "{d|回应}是句柄和 UUID 的列表：2902 是通知开关，2901 是给人看的名称。{c|没有其他行的特征}不需要发送数据包，结果已经知道了。" }
  },
  "19": {
    "marks": { "r": ["readValue", "ATT_READ_REQ/opcode"], "d": ["for: descriptor", "ATT_READ_REQ/handle"] },
    "en": { "title": "Read a descriptor", "text": "{r|The same request} as for a value, with {d|the handle of the descriptor}. To the device, both are rows of one table." },
    "zh": { "title": "发起读取特征的描述值", "text": "{r|请求}和读取值时相同，只是句柄是{d|描述符的句柄}。对设备来说，它们都是同一张表里的行。" }
  },
  "20": {
    "marks": { "u": ["didUpdateValueFor", "ATT_READ_RSP/value"], "d": ["descriptor: CBDescriptor", null] },
    "en": { "title": "The descriptor's value arrives", "text": "{u|The octets} become a Swift value by {d|the kind of descriptor}: a String for 2901, a number for 2902, Data for most others. Here 01 00 is the number 1: notifications are on." },
    "zh": { "title": "得到特征的描述值", "text": "{u|字节}按{d|描述符的类型}变成 Swift 的值：2901 是 String，2902 是数字，其他大多是 Data。这里的 01 00 就是数字 1：通知已打开。" }
  },
  "21": {
    "marks": { "w": ["writeValue", "ATT_WRITE_REQ/opcode"], "d": ["for: descriptor", "ATT_WRITE_REQ/handle"], "p": ["Data(\"Pulse\".utf8)", "ATT_WRITE_REQ/value"] },
    "en": { "title": "Write a descriptor", "text": "{w|Try to rename} {d|the description 2901} to {p|\"Pulse\"}. This is the rarest call of all, and the device is a CBPeripheralManager: watch what it says." },
    "zh": { "title": "发起写入特征的描述值", "text": "{w|试着}把{d|描述 2901}改成{p|“Pulse”}。这是最少用到的调用，而对方是 CBPeripheralManager：看看它怎么回答。" }
  },
  "22": {
    "marks": { "w": ["didWriteValueFor", "ATT_ERROR_RSP"], "e": ["error", "ATT_ERROR_RSP/error"] },
    "en": { "title": "The answer is a refusal", "text": "{w|The device answers with an error}: {e|Write Not Permitted}. Descriptors of a CBPeripheralManager cannot be written, on Apple's systems as here. The link stays; an error ends only its own request." },
    "zh": { "title": "写入特征的描述值的结果", "text": "{w|设备回应了一个错误}：{e|Write Not Permitted}。CBPeripheralManager 的描述符不能写，苹果系统上也一样。链路保持不变：错误只结束这一次请求。" }
  },
  "23": {
    "marks": { "s": ["stopScan", null], "c": ["cancelPeripheralConnection", "LL_TERMINATE_IND"] },
    "en": { "title": "Disconnect", "text": "{c|The phone ends the link} with LL_TERMINATE_IND, and didDisconnectPeripheral follows without an error. {s|Stop the scan} as well: it costs energy. If a device vanishes instead, the same method comes with an error, after the supervision timeout." },
    "zh": { "title": "断开蓝牙连接", "text": "{c|手机结束链路}，发送 LL_TERMINATE_IND，随后 didDisconnectPeripheral 被调用，没有错误。同时{s|停止扫描}以省电。如果设备突然消失，同一个方法会在监督超时之后带着错误被调用。" }
  }
};
