import BLEPacketDecoding
import BLESimulator
import CoreBluetooth
import Foundation
import Synchronization

// Prints every packet between a central and a peripheral, with its decoded fields, in virtual time. The program imports public modules only, so it also
// compiles in another package. No adapter is needed.
// 在虚拟时间里打印中心设备和外设之间的每个数据包及其解码后的字段。程序只使用公开的模块，放到别的包里同样可以编译，也不需要蓝牙适配器。

if CommandLine.arguments.dropFirst().first == "--help" {
    print(
        "usage: packet-list   prints every packet between a central and a peripheral, with its fields, in virtual time")
    exit(0)
}

/// Environmental Sensing and Temperature of the assigned numbers. 标准的环境传感服务和温度特征。
enum Sensing {
    static var service: CBUUID { CBUUID(string: "181A") }
    static var temperature: CBUUID { CBUUID(string: "2A6E") }
}

/// A thermometer that only paired devices may read. 温度计：只有配对过的设备才能读取。
final class Thermometer: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        // 21.50 degrees Celsius in units of 0.01 degrees. 21.50 摄氏度，单位为 0.01 度
        let characteristic = CBMutableCharacteristic(
            type: Sensing.temperature, properties: .read, value: Data([0x66, 0x08]),
            permissions: .readEncryptionRequired)
        let service = CBMutableService(type: Sensing.service, primary: true)
        service.characteristics = [characteristic]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Thermometer", CBAdvertisementDataServiceUUIDsKey: [Sensing.service],
        ])
    }
}

/// A phone that reads the thermometer once. The read pairs the two devices. 手机：读取一次温度，读取时自动配对。
final class Phone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    /// Changed by callbacks, and read while time stands still. 由回调修改，在时间静止时读取。
    private(set) var isDone = false
    private var thermometer: CBPeripheral?

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Sensing.service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        thermometer = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Sensing.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Sensing.temperature], for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        isDone = true
    }
}

/// Keeps the packets until they are printed. 保存数据包，稍后打印。
final class Recording: Sendable {
    private let kept = Mutex<[RadioPacket]>([])
    func add(_ packet: RadioPacket) { kept.withLock { $0.append(packet) } }
    var packets: [RadioPacket] { kept.withLock { $0 } }
}

/// Prints a field and its parts: the octets of the section that it has, its name and its value. 打印一个字段：所占字节、名称和值。
func show(_ field: DecodedPacket.Field, _ depth: Int) {
    let place = field.octets.count == 1 ? "\(field.octets.lowerBound)" : "\(field.octets)"
    let indent = String(repeating: "  ", count: depth)
    print("      \(indent)[\(place)] \(field.name)\(field.value.isEmpty ? "" : ": \(field.value)")")
    for child in field.children { show(child, depth + 1) }
}

// The seed determines the run: the same packets each time. 种子决定整个过程：每次运行的数据包都相同
let world = World(seed: 1)
let band = world.addDevice("Thermometer", at: Position(x: 2))
let handset = world.addDevice("Phone")
let recording = Recording()
world.observePackets { recording.add($0) }

let queue = DispatchQueue(label: "programs")
let thermometer = Thermometer()
let peripheralManager = band.run { CBPeripheralManager(delegate: thermometer, queue: queue) }
let phone = Phone()
let centralManager = handset.run { CBCentralManager(delegate: phone, queue: queue) }

// Until the value has arrived, at most 10 s of virtual time. 运行到收到数值为止，最多 10 秒虚拟时间
world.runBlocking(until: .seconds(10)) { _ in phone.isDone }
let link = handset.links.first

let names = [band.number: band.name, handset.number: handset.name]
var decoder = PacketDecoder()
var count = 0
for packet in recording.packets {
    let decoded = decoder.decode(packet)
    count += 1
    let time = packet.start / .milliseconds(1)
    let sender = packet.sender.flatMap { names[$0] } ?? "?"
    let mark = decoded.isEncrypted ? " (encrypted)" : ""
    let title = decoded.text.isEmpty ? decoded.name : "\(decoded.name) \(decoded.text)"
    print("\(String(format: "%9.3f", time)) ms  channel \(packet.channel)  \(sender): \(title)\(mark)")
    for section in decoder.sections(of: decoded) {
        if section.kind == .frame { print("      the L2CAP frame of several packets:") }
        for field in section.fields { show(field, 0) }
    }
}
print("\(count) packets in \(world.now)")
if let link {
    print("link: interval \(link.interval), ATT_MTU \(link.maximumTransmissionUnit), encrypted: \(link.isEncrypted)")
}
withExtendedLifetime((peripheralManager, centralManager)) {}
if !phone.isDone {
    print("The phone has not read the temperature within 10 s of virtual time.")
    exit(1)
}
