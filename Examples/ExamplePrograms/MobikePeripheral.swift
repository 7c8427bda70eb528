import CoreBluetooth

/// The UUIDs of the protocol: device FF00 with a battery service. 单车和手机约定的 UUID。
public enum Mobike {
    /// The advertised name. 设备名。
    public static let name = "Mobike"
    /// The advertised UUID. 设备 UUID。
    public static var device: CBUUID { CBUUID(string: "FF00") }
    /// The battery service. 电量服务。
    public static var battery: CBUUID { CBUUID(string: "FFEE") }
    /// The highest charge, percent: read, notify. 电量的最大值。
    public static var max: CBUUID { CBUUID(string: "FFE1") }
    /// The lowest charge, percent: read, write. 电量的最小值。
    public static var min: CBUUID { CBUUID(string: "FFE2") }
    /// The mean of both: read, notify. 电量的平均值。
    public static var average: CBUUID { CBUUID(string: "FFE3") }
}

/// A bicycle with a readable highest charge and a writable lowest charge.
///
/// 共享单车：读取电量的最大值，改写电量的最小值，平均值变化时通知。
public final class MobikePeripheral: NSObject, CBPeripheralManagerDelegate {
    /// Receives log lines. 日志。
    public var log: (String) -> Void = printLine
    /// Percent. 电量最大值。
    public let max: UInt8 = 96
    /// Percent. 电量最小值。
    public private(set) var min: UInt8 = 20
    /// Percent. 电量平均值。
    public var average: UInt8 { UInt8((Int(max) + Int(min)) / 2) }

    private let queue: DispatchQueue?
    private var manager: CBPeripheralManager!
    private var mustNotify = false

    private let maxCharacteristic = CBMutableCharacteristic(
        type: Mobike.max, properties: [.read, .notify], value: nil, permissions: .readable)
    private let minCharacteristic = CBMutableCharacteristic(
        type: Mobike.min, properties: [.read, .write, .writeWithoutResponse], value: nil,
        permissions: [.readable, .writeable])
    private let averageCharacteristic = CBMutableCharacteristic(
        type: Mobike.average, properties: [.read, .notify], value: nil, permissions: .readable)

    /// All delegate methods run on `queue`; nil is the main queue.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// Starts the program. 开始。
    public func start() { manager = CBPeripheralManager(delegate: self, queue: queue) }

    /// Stops advertising and removes the service. 停止。
    public func stop() {
        guard let manager, manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    /// The state changed. Publishes the services once Bluetooth is powered on. 蓝牙状态改变，打开后发布服务。
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let battery = CBMutableService(type: Mobike.battery, primary: true)
        battery.characteristics = [maxCharacteristic, minCharacteristic, averageCharacteristic]
        peripheral.removeAllServices()
        peripheral.add(battery)
    }

    /// The service was published, or publishing failed. Starts to advertise. 服务已添加，开始广播。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return log("could not publish the service: \(error.localizedDescription)") }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: Mobike.name,
            CBAdvertisementDataServiceUUIDsKey: [Mobike.device, Mobike.battery],
        ])
    }

    /// Advertising started, or failed to start. 已开始广播。
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        log(error.map { "could not advertise: \($0.localizedDescription)" } ?? "advertising as \(Mobike.name)")
    }

    /// A central reads. 收到读请求。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value: UInt8
        switch request.characteristic.uuid {
        case Mobike.max: value = max
        case Mobike.min: value = min
        case Mobike.average: value = average
        default: return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= 1 else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = Data([value]).subdata(in: request.offset..<1)
        peripheral.respond(to: request, withResult: .success)
    }

    /// A central writes. 收到写请求。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        var new = min
        for request in requests {
            guard request.characteristic.uuid == Mobike.min else {
                return peripheral.respond(to: first, withResult: .writeNotPermitted)
            }
            guard request.offset == 0, let value = request.value, value.count == 1, value[value.startIndex] <= max
            else {
                return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
            }
            new = value[value.startIndex]
        }
        min = new
        log("the lowest charge is \(min) % now, the mean \(average) %")
        peripheral.respond(to: first, withResult: .success)
        mustNotify = true
        notify()
    }

    /// A central subscribed. 有设备订阅。
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        log("a central subscribed to \(characteristic.uuid)")
    }

    /// The transmit queue has space again. 又可以发送更新了。
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { notify() }

    private func notify() {
        guard mustNotify else { return }
        mustNotify = !manager.updateValue(Data([average]), for: averageCharacteristic, onSubscribedCentrals: nil)
    }
}
