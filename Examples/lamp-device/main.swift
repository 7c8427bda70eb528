import CoreBluetooth
import DeviceLink
import ExamplePrograms
import ImprovWiFi
import LampPrograms

// A lamp with three listeners, or four with a broker in the cloud. Enter is its button. The key would stand on its box as a QR code.
// 一盏有三个入口的灯（设置 LAMP_BROKER 后还有云端），回车键就是它的按钮。真实产品里密钥会以二维码形式印在包装上。
answerHelp(
    "lamp-device   a lamp for lamp-phone, until Ctrl-C; BLUETOOTH_LINK_KEY has its key, LAMP_BROKER a broker, and Enter is its button"
)
guard let key = lampKey() else {
    printLine("BLUETOOTH_LINK_KEY has no key. Make one: swift run bluelab gateway key --file lamp.key")
    exit(2)
}
let identifier = "lamp-1"
// A real lamp uses NetworkManagerWiFi(), which joins with this machine's Wi-Fi. 真实设备请用 NetworkManagerWiFi()。
let wifi = SimulatedWiFi([.init(name: "home", password: "correct horse")], delay: .seconds(1))
var listeners: [any DeviceListener] = [
    // The router's network: found by multicast DNS. 局域网。
    NetworkListener(identifier, key: key),
    // The lamp's own access point. 灯自己的热点。
    DirectListener(key: key),
    // Bluetooth, which needs neither. 蓝牙。
    BluetoothListener(identifier, key: key),
]
// A broker, wherever the phone is. 云端，手机在哪里都可以。
if let cloud = try lampCloud() { listeners.append(CloudListener(identifier, key: key, over: cloud)) }
let lamp = try LampDevice(identifier, wifi: wifi, listeners: listeners) { event in
    switch event {
    case .waiting: printLine("waiting for a phone; Enter is the button")
    case .joined: printLine("joined the network")
    case .opened(let name, let place): printLine("\(name) is open: \(place)")
    case .switched(let isOn, let count, let byButton):
        printLine("\(isOn ? "on" : "off"), by \(byButton ? "the button" : "request \(count)")")
    case .failed(let reason): printLine("failed: \(reason)")
    }
}
lamp.start()
onEachLine { lamp.press() }
runUntilInterrupted { lamp.stop() }
