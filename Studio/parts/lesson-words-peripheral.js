// The texts of the wristband's steps, in the form of lesson-words-central.js.
export const peripheral = {
  "1": {
    "marks": { "m": ["CBPeripheralManager", null], "d": ["delegate: self", null] },
    "en": { "title": "Create the peripheral manager", "text": "This program is the other side: the wristband. {m|The peripheral manager} publishes data and advertises. {d|Its delegate} hears what centrals ask for." },
    "zh": { "title": "建立外设角色", "text": "这个程序是另一方：手环。{m|外设管理器}发布数据并广播。{d|它的代理}会收到中心设备的请求。" }
  },
  "2": {
    "marks": { "s": ["peripheralManagerDidUpdateState", null] },
    "en": { "title": "The state arrives", "text": "{s|The same rule as for a central}: wait for powered on. After each return to this state the services have to be published again." },
    "zh": { "title": "得到蓝牙状态", "text": "{s|规则与中心角色相同}：等到 poweredOn。每次重新回到这个状态，都要再发布一次服务。" }
  },
  "3": {
    "marks": { "a": ["peripheral.add(heartRate)", null], "b": ["peripheral.add(daily)", null] },
    "en": { "title": "Publish the services", "text": "A service is a group of characteristics. {a|The heart rate} has a UUID of 16 bits that everybody knows, 180D. {b|The daily goal} is an invention of this device, so it has a random UUID of 128 bits. No packet: the table is filled in the wristband." },
    "zh": { "title": "发布服务", "text": "服务是一组特征。{a|心率}使用公开的 16 位 UUID：180D。{b|每日目标}是这个设备自己定义的，所以用随机的 128 位 UUID。没有数据包：只是在手环里填表。" }
  },
  "4": {
    "marks": { "a": ["didAdd service", null], "e": ["error", null] },
    "en": { "title": "A service is published", "text": "{a|Called for each service}. A service cannot change after this. Advertise only when all are there, or a quick phone finds half of them. {e|The error} tells what was wrong with a service." },
    "zh": { "title": "服务已添加", "text": "{a|每个服务调用一次}，之后服务不能再修改。全部添加完再开始广播，否则手机可能只看到一半。{e|error} 说明服务哪里有问题。" }
  },
  "5": {
    "marks": { "n": ["CBAdvertisementDataLocalNameKey", null], "s": ["CBAdvertisementDataServiceUUIDsKey", null], "a": ["startAdvertising", null] },
    "en": { "title": "Advertise", "text": "{a|Say what everybody may hear}: {n|the name} and {s|one service}. CoreBluetooth allows no other keys here, and there are only 31 octets. The packets come with step 6." },
    "zh": { "title": "开始广播", "text": "{a|说明所有人都能听到的内容}：{n|名字}和{s|一个服务}。CoreBluetooth 在这里只允许这两种键，而且总共只有 31 个字节。数据包在第 6 步出现。" }
  },
  "6": {
    "marks": { "s": ["peripheralManagerDidStartAdvertising", "ADV_IND"], "e": ["error", null] },
    "en": { "title": "Advertising has started", "text": "{s|A short packet about every 30 ms}, on each of the channels 37, 38 and 39. The wristband only waits now, and soon a phone connects. {e|An error} would say why it cannot advertise." },
    "zh": { "title": "已开始广播", "text": "{s|大约每 30 毫秒发送一次短数据包}，分别在 37、38、39 信道上。手环现在只需等待，很快手机就会连接。{e|error} 会说明为什么不能广播。" }
  },
  "7": {
    "marks": { "r": ["didReceiveRead", "ATT_READ_REQ/opcode"], "q": ["request: CBATTRequest", "ATT_READ_REQ/handle"] },
    "en": { "title": "A central reads", "text": "{r|A phone has connected} and reads the daily goal. {q|The request} names the characteristic and an offset. A characteristic with a fixed value, such as the sensor location, is answered without your program." },
    "zh": { "title": "收到读请求", "text": "{r|手机已连接}，正在读取每日目标。{q|请求}里有特征和偏移量。有固定值的特征（例如佩戴位置）由系统直接回应，不经过程序。" }
  },
  "8": {
    "marks": { "v": ["request.value", "ATT_READ_RSP/value"], "s": ["respond", "ATT_READ_RSP/opcode"] },
    "en": { "title": "Answer the read", "text": "{v|Put the octets into the request}, from the offset on, and {s|respond}. Without a response the phone waits, and after 30 s its link is of no more use." },
    "zh": { "title": "回应读请求", "text": "{v|把从偏移量开始的字节放进请求}，然后{s|回应}。不回应的话手机会一直等，30 秒后这条链路就不能再用了。" }
  },
  "9": {
    "marks": { "w": ["didReceiveWrite", "ATT_WRITE_REQ/opcode"], "q": ["requests: [CBATTRequest]", "ATT_WRITE_REQ/value"] },
    "en": { "title": "A central writes", "text": "{w|The phone writes} the daily goal. {q|The requests} are an array because a long value comes in parts. Check all of them before you use one." },
    "zh": { "title": "收到写请求", "text": "{w|手机写入}每日目标。{q|请求是数组}，因为长的值会分成几段。全部检查之后才能使用。" }
  },
  "10": {
    "marks": { "f": ["to: first", null], "s": [".success", "ATT_WRITE_RSP"] },
    "en": { "title": "Answer the write", "text": "One response for {f|the first request} answers the whole array. {s|Success} becomes the phone's step 14; any other result becomes its error." },
    "zh": { "title": "回应写请求", "text": "只回应{f|第一个请求}，就回应了整个数组。{s|success} 就是手机的第 14 步；其他结果会成为手机得到的 error。" }
  },
  "11": {
    "marks": { "s": ["didSubscribeTo", "ATT_WRITE_REQ/value"], "c": ["central: CBCentral", null] },
    "en": { "title": "A central subscribes", "text": "{s|The phone wrote 01 00} to the descriptor 2902, and the system tells you {c|which central} it was. Start the sensor now: before this, nobody would hear its values." },
    "zh": { "title": "有设备订阅", "text": "{s|手机向 2902 描述符写入了 01 00}，系统告诉你是{c|哪个中心设备}。现在再启动传感器：在此之前没有设备接收它的值。" }
  },
  "12": {
    "marks": { "u": ["updateValue", "ATT_HANDLE_VALUE_NTF"], "v": ["value", "ATT_HANDLE_VALUE_NTF/value"], "n": ["onSubscribedCentrals: nil", null] },
    "en": { "title": "Notify a value", "text": "{u|Send the pulse} as {v|two octets} to {n|all subscribers}. The device speaks first; no central asked. The result is a Bool: false means that the value was not taken." },
    "zh": { "title": "发送通知", "text": "把{v|两个字节}的{u|心率发送}给{n|所有订阅者}。设备主动发送，没有谁请求。返回值是 Bool：false 表示这个值没有被接收。" }
  },
  "13": {
    "marks": { "r": ["peripheralManagerIsReady", "ATT_HANDLE_VALUE_NTF"] },
    "en": { "title": "The queue has space again", "text": "The wristband has just sent many values at once, until updateValue returned false. {r|This method} says that there is space: send the value that was refused, and go on." },
    "zh": { "title": "队列又有空间了", "text": "手环刚才一次发送了很多值，直到 updateValue 返回 false。{r|这个方法}表示又有空间了：先重发被拒绝的值，再继续。" }
  },
  "14": {
    "marks": { "u": ["didUnsubscribeFrom", "LL_TERMINATE_IND"] },
    "en": { "title": "The central has left", "text": "{u|The phone disconnected}, which also ends its subscription. There is no other sign of a disconnection in this role: a central that never subscribes comes and goes unseen. Stop the sensor." },
    "zh": { "title": "中心设备离开了", "text": "{u|手机断开了}，它的订阅也随之结束。外设角色没有别的断开通知：从不订阅的中心设备来去都看不到。现在可以停止传感器。" }
  }
};
