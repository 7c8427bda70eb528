import CoreBluetooth

/// The UUIDs and the two 16-octet frames of the protocol. 双方约定的 UUID 和 16 字节的数据帧。
public enum Frames {
    /// The 128-bit form, which equals the short form FEE7. 完整写法，与 FEE7 相等。
    public static var service: CBUUID { CBUUID(string: "0000fee7-0000-1000-8000-00805f9b34fb") }
    /// The characteristic that the central writes. 写特征。
    public static var write: CBUUID { CBUUID(string: "000036f5-0000-1000-8000-00805f9b34fb") }
    /// The characteristic that the central reads and subscribes to. 读特征。
    public static var read: CBUUID { CBUUID(string: "000036f6-0000-1000-8000-00805f9b34fb") }
    /// The central's request: 05 01 06 and thirteen times 01. 中心设备发送的帧。
    public static let request = Data([0x05, 0x01, 0x06] + [UInt8](repeating: 0x01, count: 13))
    /// The peripheral's answer: 05 02 01 and thirteen times 00. 外围设备回应的帧。
    public static let answer = Data([0x05, 0x02, 0x01] + [UInt8](repeating: 0x00, count: 13))
}

/// A central that writes one frame, reads one, receives one notification, and disconnects.
///
/// 中心设备（接收数据）：写一帧，读一帧，收一次通知，然后断开。
public final class FrameCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Receives log lines. 日志。
    public var log: (String) -> Void = printLine
    /// Called at the end, with nil or an error. 结束时调用。
    public var onFinish: ((any Error)?) -> Void = { _ in }
    /// The names of the devices to connect to. 要连接的设备名。
    public var names: Set<String> = ["device01", "iPhone"]
    /// The received values: the result of the read, then notifications. 收到的数据。
    public private(set) var received: [Data] = []
    /// Whether the write succeeded. 写入是否成功。
    public private(set) var isWritten = false

    private let queue: DispatchQueue?
    private var centralManager: CBCentralManager!
    // Keep references to discovered devices. 存放外围设备，必须持有。
    private var peripherals: [CBPeripheral] = []

    /// All delegate methods run on `queue`; nil is the main queue.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// 1. Create the manager, which starts the program. 创建中心设备管理者
    public func start() { centralManager = CBCentralManager(delegate: self, queue: queue) }

    /// Disconnects. 断开。
    public func stop() {
        guard let centralManager, centralManager.state == .poweredOn else { return onFinish(nil) }
        centralManager.stopScan()
        guard let connected = peripherals.first(where: { $0.state != .disconnected }) else { return onFinish(nil) }
        centralManager.cancelPeripheralConnection(connected)
    }

    /// 2. The state changed. Also called once after the initialiser. 蓝牙状态发生改变时调用（必须实现）
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            log("Bluetooth is on, scanning")
            // 2.1 Scan; nil selects all services. 扫描外围设备（nil：扫描所有 service）
            central.scanForPeripherals(withServices: nil, options: nil)
        case .poweredOff: log("Bluetooth is off")
        case .unauthorized: log("no right to use Bluetooth")
        case .unsupported: log("no Bluetooth here")
        default: break
        }
    }

    /// 3. A device was discovered. 扫描到外围设备后调用
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        // 3.1 The one we want: stop scanning. 找到唯一对应的设备后停止扫描
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        guard let name, names.contains(name) else { return }
        central.stopScan()
        if !peripherals.contains(peripheral) { peripherals.append(peripheral) }
        // 3.2 Connect. 联入外围设备
        log("found \(name), connecting")
        central.connect(peripheral, options: nil)
    }

    /// 4. Connected. 联入外围设备后调用
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([Frames.service])
    }

    /// 4.1 The connection failed. 联入外围设备失败后调用
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("could not connect: \(error?.localizedDescription ?? "no reason given")")
        onFinish(error ?? CBError(.connectionFailed))
    }

    /// 4.2 The connection ended. 取消联接后调用
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("disconnected\(error.map { ": \($0.localizedDescription)" } ?? "")")
        peripherals.removeAll { $0 == peripheral }
        onFinish(error)
    }

    /// 5. Services were found. 外围设备寻找到服务后调用
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let error { return log("no services: \(error.localizedDescription)") }
        for service in peripheral.services ?? [] where service.uuid == Frames.service {
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    /// 6. Characteristics were found. 寻找到特征时调用
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return log("no characteristics: \(error.localizedDescription)") }
        // Subscribe before the write, so that its notification is not missed. 先订阅再写，才不会漏掉回应。
        for characteristic in service.characteristics ?? [] where characteristic.uuid == Frames.read {
            peripheral.setNotifyValue(true, for: characteristic)
            peripheral.readValue(for: characteristic)
        }
        for characteristic in service.characteristics ?? [] where characteristic.uuid == Frames.write {
            peripheral.writeValue(Frames.request, for: characteristic, type: .withResponse)
        }
    }

    /// 6.1 The write completed. 写入后调用
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        isWritten = error == nil
        log(error.map { "not written: \($0.localizedDescription)" } ?? "wrote 16 octets to \(characteristic.uuid)")
    }

    /// 7. The subscription changed. 通知状态更新时调用
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return log("no notifications: \(error.localizedDescription)") }
        if characteristic.isNotifying {
            log("subscribed to \(characteristic.uuid)")
        } else {
            log("unsubscribed, leaving")
            centralManager.cancelPeripheralConnection(peripheral)
        }
    }

    /// 8. A value arrived. 从外围设备读取数据
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return log("not read: \(error.localizedDescription)") }
        guard let value = characteristic.value else { return }
        received.append(value)
        log("received \(value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " "))")
        // One result of the read and one notification are enough. 读到一帧、收到一次通知就够了。
        if received.count == 2 { peripheral.setNotifyValue(false, for: characteristic) }
    }
}
