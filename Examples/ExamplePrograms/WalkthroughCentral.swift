import CoreBluetooth

/// The central role, in the twenty-three steps that nearly every program takes. A step is a call, or the delegate method
/// that answers it; both are marked with their number.
///
/// 中心角色的二十三个步骤：每一步要么是主动调用的方法，要么是回应它的代理方法，代码里都标了序号。
public final class WalkthroughCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Called at each step with its number and a description. 每走一步就会调用。
    public var onStep: (Int, String) -> Void = { number, text in printLine("\(number) \(text)") }
    /// Called with the value of each notification. 每收到一次通知就会调用。
    public var onNotification: (Data) -> Void = { _ in }
    /// Called at the end; the error is nil after step 23. 全部结束时调用，正常结束时 error 为 nil。
    public var onFinish: ((any Error)?) -> Void = { _ in }

    /// The prefix of the device's name; nil selects the first device. 只连接名字以此开头的外设。
    public var namePrefix: String?
    /// The value that step 13 writes; nil writes the value that was read, which does not change the device. 第 13 步写入的值。
    public var valueToWrite: Data?
    /// The number of notifications before the discovery of descriptors. 收到多少次通知后继续往下走。
    public var notificationCount = 12
    /// The characteristic of step 15, whose values `onNotification` gets. 已订阅的特征。
    public private(set) var subscribed: CBCharacteristic?

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    /// Keep a reference to a discovered device, or its delegate methods are never called. 必须持有，否则收不到回调。
    private var peripheral: CBPeripheral?
    /// The names of other devices, in the order of their discovery. 见过但不匹配的名字。
    private var otherNames: [String] = []
    /// The advertised name. Once connected, `peripheral.name` is the one in its GAP service. 广播的名字；连接后 name 会变成 GAP 名。
    private var foundName = ""
    private var servicesLeft = 0
    private var readsLeft = 0
    private var notificationsLeft = 0
    private var descriptorSearchesLeft = 0
    private var descriptorReadsLeft = 0

    /// All delegate methods run on `queue`; nil is the main queue. 代理方法所在的队列，nil 为主队列。
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// Starts the program. 开始。
    public func start() {
        // 1. Create the central manager. The first answer is step 2. 建立中心角色
        onStep(1, "create the central manager")
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Disconnects at any step. 随时可以礼貌地结束。
    public func stop() {
        guard let manager, manager.state == .poweredOn else { return onFinish(nil) }
        if manager.isScanning { manager.stopScan() }
        guard let peripheral, peripheral.state != .disconnected else { return onFinish(nil) }
        manager.cancelPeripheralConnection(peripheral)
    }

    /// Goes on with step 17 without waiting for further notifications. 不再等通知，直接走第 17 步。
    public func finishSteps() {
        guard notificationsLeft > 0 else { return }
        notificationsLeft = 0
        discoverDescriptors()
    }

    /// The state of the search; nil if there is none. 正在等待什么、看到了什么。
    public var searchStatus: String? {
        guard let manager, manager.state == .poweredOn, peripheral == nil else { return nil }
        let goal = namePrefix.map { "a device whose name begins with \"\($0)\"" } ?? "any device that advertises"
        let seen = otherNames.isEmpty ? "none with a name yet" : otherNames.joined(separator: ", ")
        return "waiting for \(goal); other devices seen: \(seen)"
    }

    // MARK: CBCentralManagerDelegate

    /// 2. The state changed. Commands need the state `.poweredOn`. 检测中央设备状态（必须实现）
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        onStep(2, "the state is \(name(of: central.state))")
        guard central.state == .poweredOn else {
            if central.state == .unsupported || central.state == .unauthorized {
                onFinish(NoBluetooth(state: name(of: central.state)))
            }
            return
        }
        // 3. Scan; nil selects all devices. 发起扫描外设，nil 表示扫描所有外设
        onStep(3, "scan for peripherals")
        central.scanForPeripherals(withServices: nil, options: nil)
    }

    /// 4. A device was discovered. 发现外设
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        // The advertised name is current; peripheral.name may be from an earlier connection.
        let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        guard self.peripheral == nil else { return }
        if let namePrefix, advertised?.hasPrefix(namePrefix) != true {
            if let advertised, !otherNames.contains(advertised), otherNames.count < 20 { otherNames.append(advertised) }
            return
        }
        foundName = advertised ?? "a device without a name"
        onStep(4, "found \(foundName) at \(RSSI) dBm")
        self.peripheral = peripheral
        central.stopScan()
        // 5. Connect. The attempt has no timeout; it is pending until it succeeds or is cancelled. 发起连接外设（没有超时）
        onStep(5, "connect")
        central.connect(peripheral, options: nil)
    }

    /// 6. Connected. 连接外设成功
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        onStep(6, "connected to \(foundName)")
        // 7. Become the peripheral's delegate, and ask for its services. 设置外设代理，发起扫描服务
        onStep(7, "discover services")
        peripheral.delegate = self
        peripheral.discoverServices(nil)
    }

    /// The attempt to connect failed. 连接失败。
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        finish(error ?? CBError(.connectionFailed))
    }

    /// The connection ended; the error is nil if this program ended it. 连接已断开，主动断开时 error 为 nil。
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        finish(error)
    }

    // MARK: CBPeripheralDelegate: services and characteristics

    /// 8. The services were discovered. 发现外设的服务
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let error { return fail(error) }
        let services = peripheral.services ?? []
        onStep(8, "services: \(services.map { $0.uuid.uuidString }.joined(separator: ", "))")
        guard !services.isEmpty else { return disconnect() }
        servicesLeft = services.count
        for service in services {
            // 9. Discover the characteristics of each service. 发起发现外设的服务的特征
            onStep(9, "discover the characteristics of \(service.uuid)")
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    /// 10. The characteristics of a service were discovered. 发现外设的服务的特征
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return fail(error) }
        let found = (service.characteristics ?? []).map { $0.uuid.uuidString }
        onStep(10, "characteristics of \(service.uuid): \(found.joined(separator: ", "))")
        servicesLeft -= 1
        if servicesLeft == 0 { readValues() }
    }

    // MARK: Reading

    private func readValues() {
        let readable = characteristics { $0.contains(.read) }
        guard let peripheral, !readable.isEmpty else { return writeValue() }
        readsLeft = readable.count
        for characteristic in readable {
            // 11. Read. 发起读取特征值
            onStep(11, "read \(characteristic.uuid)")
            peripheral.readValue(for: characteristic)
        }
    }

    /// 12. A value arrived: the result of a read, or a notification. 发现特征值：读取的回应和通知都到这里
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if characteristic.isNotifying {
            receive(characteristic.value ?? Data())
            return
        }
        onStep(12, "\(characteristic.uuid) = \(error.map(text) ?? text(characteristic.value))")
        guard readsLeft > 0 else { return }
        readsLeft -= 1
        if readsLeft == 0 { writeValue() }
    }

    // MARK: Writing

    private func writeValue() {
        guard let peripheral, let characteristic = characteristics({ $0.contains(.write) }).first else {
            return subscribe()
        }
        let value = valueToWrite ?? characteristic.value ?? Data([1])
        // 13. Write with response. 发起写入特征值
        onStep(13, "write \(text(value)) to \(characteristic.uuid)")
        peripheral.writeValue(value, for: characteristic, type: .withResponse)
    }

    /// 14. The write completed. 写入特征值成功
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return fail(error) }
        onStep(14, "wrote \(characteristic.uuid)")
        subscribe()
    }

    // MARK: Notifications

    private func subscribe() {
        let notifying = characteristics { $0.contains(.notify) || $0.contains(.indicate) }
        guard let peripheral, let characteristic = notifying.first else { return discoverDescriptors() }
        notificationsLeft = notificationCount
        subscribed = characteristic
        // 15. Subscribe. 发起设置某个特征的监听通知
        onStep(15, "turn the notifications of \(characteristic.uuid) on")
        peripheral.setNotifyValue(true, for: characteristic)
    }

    /// 16. The subscription changed. 监听某个特征的通知的状态变更
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return fail(error) }
        onStep(16, "the notifications of \(characteristic.uuid) are \(characteristic.isNotifying ? "on" : "off")")
    }

    private func receive(_ value: Data) {
        onNotification(value)
        guard notificationsLeft > 0 else { return }
        notificationsLeft -= 1
        if notificationsLeft == 0 { discoverDescriptors() }
    }

    // MARK: Descriptors

    private func discoverDescriptors() {
        let all = characteristics { _ in true }
        guard let peripheral, !all.isEmpty else { return disconnect() }
        descriptorSearchesLeft = all.count
        for characteristic in all {
            // 17. Discover the descriptors. 发起发现特征的描述
            onStep(17, "discover the descriptors of \(characteristic.uuid)")
            peripheral.discoverDescriptors(for: characteristic)
        }
    }

    /// 18. The descriptors of a characteristic were discovered. 发现特征的描述
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return fail(error) }
        let found = (characteristic.descriptors ?? []).map { $0.uuid.uuidString }
        onStep(18, "descriptors of \(characteristic.uuid): \(found.isEmpty ? "none" : found.joined(separator: ", "))")
        descriptorSearchesLeft -= 1
        if descriptorSearchesLeft == 0 { readDescriptors() }
    }

    private func readDescriptors() {
        guard let peripheral, !descriptors.isEmpty else { return disconnect() }
        descriptorReadsLeft = descriptors.count
        for descriptor in descriptors {
            // 19. Read a descriptor. 发起读取特征的描述值
            onStep(19, "read descriptor \(descriptor.uuid.uuidString)")
            peripheral.readValue(for: descriptor)
        }
    }

    /// 20. Its value: a String for 2901, a number for 2902, Data for most. 更新特征的描述值
    public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
    {
        let value = error.map(text) ?? descriptor.value.map { ($0 as? Data).map(text) ?? "\($0)" } ?? "nothing"
        onStep(20, "descriptor \(descriptor.uuid.uuidString) = \(value)")
        descriptorReadsLeft -= 1
        if descriptorReadsLeft == 0 { writeDescriptor() }
    }

    private func writeDescriptor() {
        // Only setNotifyValue writes 2902. 2902 由系统通过 setNotifyValue 写入，不能直接写。
        let system = ["2900", "2902", "2903", "2904", "2905"].map { CBUUID(string: $0) }
        guard let peripheral, let descriptor = descriptors.first(where: { !system.contains($0.uuid) }) else {
            return disconnect()
        }
        // 21. Write a descriptor. 发起写入特征的描述值
        onStep(21, "write descriptor \(descriptor.uuid.uuidString)")
        peripheral.writeValue(Data("Pulse".utf8), for: descriptor)
    }

    /// 22. The write completed or failed. Descriptors of a CBPeripheralManager cannot be written, also on Apple devices:
    /// the error then is writeNotPermitted. 写入特征的描述值：手机作外设时描述不可写，会得到 writeNotPermitted
    public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        onStep(22, "answer to the write of \(descriptor.uuid.uuidString): \(error.map(text) ?? "written")")
        disconnect()
    }

    // MARK: The end

    private func disconnect() {
        guard let peripheral else { return finish(nil) }
        // 23. Stop scanning, and disconnect. didDisconnectPeripheral follows. 停止扫描，断开蓝牙连接
        onStep(23, "disconnect")
        manager.stopScan()
        manager.cancelPeripheralConnection(peripheral)
    }

    private func fail(_ error: any Error) {
        failure = error
        if let peripheral { manager.cancelPeripheralConnection(peripheral) } else { finish(error) }
    }

    private var failure: (any Error)?

    private func finish(_ error: (any Error)?) {
        peripheral = nil
        subscribed = nil
        notificationsLeft = 0
        onFinish(failure ?? error)
        failure = nil
    }

    // MARK: Helpers

    private func characteristics(_ suitable: (CBCharacteristicProperties) -> Bool) -> [CBCharacteristic] {
        (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }.filter { suitable($0.properties) }
    }

    private var descriptors: [CBDescriptor] { characteristics { _ in true }.flatMap { $0.descriptors ?? [] } }

    private func text(_ error: any Error) -> String { error.localizedDescription }

    /// Readable text as such, everything else as hexadecimal octets.
    private func text(_ value: Data?) -> String {
        guard let value, !value.isEmpty else { return "nothing" }
        if value.count > 1, value.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return "\"" + String(decoding: value, as: UTF8.self) + "\""
        }
        return value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    private func name(of state: CBManagerState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "powered off"
        case .poweredOn: "powered on"
        @unknown default: "new"
        }
    }
}

/// The state means that no Bluetooth adapter is available. 没有可用的蓝牙。
public struct NoBluetooth: LocalizedError {
    /// The manager's state. 管理器的状态。
    public let state: String

    /// The error message. 错误说明。
    public var errorDescription: String? { "Bluetooth is \(state) here." }
}
