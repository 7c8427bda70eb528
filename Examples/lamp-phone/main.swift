import CoreBluetooth
import DeviceLink
import ExamplePrograms
import ImprovWiFi
import LampPrograms

// A phone that sets the lamp up, then switches it with Enter. With the argument `connect` it uses a lamp that is set up.
// 先给灯配网，然后按回车开关灯。参数 connect 表示灯已经配过网。
answerHelp("lamp-phone [connect]   sets the lamp up, or with connect uses one that is set up; Enter switches it")
guard let key = lampKey() else {
    printLine("BLUETOOTH_LINK_KEY has no key: it is that of the lamp.")
    exit(2)
}
let password = ProcessInfo.processInfo.environment["BLUETOOTH_WIFI_PASSWORD"] ?? "correct horse"
let credentials = try WiFiCredentials(network: "home", password: password)
let identifier = "lamp-1"
// The best first. The link opens the next one while none works. 最好的在前，都不通时依次尝试下一条。
var ways: [any DeviceTransport] = [NetworkTransport(to: identifier, key: key), DirectTransport(key: key)]
if let cloud = try lampCloud() { ways.append(CloudTransport(to: identifier, key: key, over: cloud)) }
ways.append(BluetoothTransport(to: identifier, key: key))
let phone = LampPhone(lamp: identifier, credentials: credentials, ways: ways) { event in
    switch event {
    case .pressTheButton: printLine("press the button of the lamp")
    case .provisioned: printLine("the lamp is on the network; Enter switches it")
    case .way(let name): printLine(name.map { "over \($0)" } ?? "no way works")
    case .wayFailed(let name, let reason): printLine("\(name): \(reason)")
    case .switched(let isOn, let count, let way): printLine("\(isOn ? "on" : "off"): request \(count), over \(way)")
    case .pressed(let isOn): printLine("\(isOn ? "on" : "off"), by the button")
    case .missed(let count): printLine("\(count) events were lost")
    case .failed(let reason): printLine("failed: \(reason)")
    }
}
if CommandLine.arguments.dropFirst().first == "connect" { phone.connect() } else { phone.start() }
onEachLine { phone.toggle() }
runUntilInterrupted { phone.stop() }
