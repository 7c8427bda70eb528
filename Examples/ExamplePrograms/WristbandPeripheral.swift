import CoreBluetooth

/// A wristband: notifications of the pulse, a readable sensor location, and a readable and writable daily goal. The peripheral
/// role takes fourteen steps, which are marked with their number.
///
/// 智能手环：心率（通知）、佩戴位置（只读）、每日步数目标（可读可写）。外设角色的十四个步骤都标了序号。
public final class WristbandPeripheral: NSObject, CBPeripheralManagerDelegate {
    /// The advertised name. 广播的名字。
    public static let name = "Wristband"
    /// The standard Heart Rate service. 标准的心率服务。
    public static var heartRateService: CBUUID { CBUUID(string: "180D") }
    /// A custom service for the daily goal. 自定义的每日目标服务。
    public static var goalService: CBUUID { CBUUID(string: "5B1D0000-6F2E-4C0A-9B6A-2F1C0E4D7A10") }

    /// Called at each step with its number and a description. 每走一步就会调用。
    public var onStep: (Int, String) -> Void = { _, _ in }
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { _ in }
    /// Called when the first central subscribes and when the last one unsubscribes. 订阅者从无到有、从有到无时调用。
    public var onSubscription: (Bool) -> Void = { _ in }

    /// The daily goal in steps. 每日步数目标。
    public private(set) var goal: UInt16 = 8000

    private let queue: DispatchQueue?
    private var manager: CBPeripheralManager!
    private var servicesLeft = 0
    private var unsent: Data?
    private var beats = 0

    private let measurement = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: .readable)
    // A characteristic with an initial value is static; the host serves it without a callback. 有初值的特征是静态的，读取时不会回调。
    private let location = CBMutableCharacteristic(
        type: CBUUID(string: "2A38"), properties: .read, value: Data([2]), permissions: .readable)
    private let goalCharacteristic = CBMutableCharacteristic(
        type: CBUUID(string: "5B1D0001-6F2E-4C0A-9B6A-2F1C0E4D7A10"), properties: [.read, .write], value: nil,
        permissions: [.readable, .writeable])

    /// All delegate methods run on `queue`; nil is the main queue. Call `beat` on it as well.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// Starts the program. 开始。
    public func start() {
        // 1. Create the peripheral manager. The first answer is step 2. 建立外设角色
        onStep(1, "create the peripheral manager")
        manager = CBPeripheralManager(delegate: self, queue: queue)
    }

    /// Stops advertising and removes the services. 停止。
    public func stop() {
        guard let manager, manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    /// Measures the pulse and notifies the subscribers. Call it about once a second. 测一次心率并通知订阅者，大约每秒调用一次。
    public func beat() {
        guard manager != nil, measurement.subscribedCentrals?.isEmpty == false else { return }
        // The pulse varies between 62 and 86 per minute.
        let pulse = UInt8(74 + 12 * sin(Double(beats) / 2.2))
        beats += 1
        send(Data([0x00, pulse]))
    }

    /// Whether the transmit queue is full, so that a value waits for step 13. 发送队列已满，正在等待第 13 步。
    public var isWaiting: Bool { unsent != nil }

    private func send(_ value: Data) {
        // 12. Notify the subscribers. False means that the transmit queue is full. 通知订阅者，返回 false 表示队列已满
        let isSent = manager.updateValue(value, for: measurement, onSubscribedCentrals: nil)
        onStep(12, "pulse \(value[1])\(isSent ? "" : ", but the queue is full")")
        unsent = isSent ? nil : value
    }

    // MARK: CBPeripheralManagerDelegate

    /// 2. The state changed. Publishes the services once Bluetooth is powered on. 蓝牙状态改变，打开后发布服务。
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        onStep(2, peripheral.state == .poweredOn ? "the state is powered on" : "Bluetooth is not usable")
        guard peripheral.state == .poweredOn else { return }
        measurement.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Heart rate")
        ]
        goalCharacteristic.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Daily goal")
        ]
        let heartRate = CBMutableService(type: Self.heartRateService, primary: true)
        heartRate.characteristics = [measurement, location]
        let daily = CBMutableService(type: Self.goalService, primary: true)
        daily.characteristics = [goalCharacteristic]
        servicesLeft = 2
        peripheral.removeAllServices()
        // 3. Publish the services. 发布服务
        onStep(3, "add two services")
        peripheral.add(heartRate)
        peripheral.add(daily)
    }

    /// 4. The service was published, or publishing failed. 服务已添加。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return log("could not publish \(service.uuid): \(error.localizedDescription)") }
        onStep(4, "added \(service.uuid)")
        servicesLeft -= 1
        guard servicesLeft == 0 else { return }
        // 5. Advertise the name and a service. 广播名字和服务
        onStep(5, "start advertising")
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: Self.name,
            CBAdvertisementDataServiceUUIDsKey: [Self.heartRateService],
        ])
    }

    /// 6. Advertising started, or failed to start. 已开始广播。
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        let text = error.map { "could not advertise: \($0.localizedDescription)" } ?? "advertising as \(Self.name)"
        onStep(6, text)
        log(text)
    }

    /// 11. A central subscribed. 有设备订阅。
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        onStep(11, "a central subscribed to \(characteristic.uuid)")
        log("a central subscribed to \(characteristic.uuid)")
        if measurement.subscribedCentrals?.count == 1 { onSubscription(true) }
    }

    /// 14. A central unsubscribed or disconnected. 有设备取消订阅或断开。
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        onStep(14, "a central left \(characteristic.uuid)")
        log("a central left \(characteristic.uuid)")
        if measurement.subscribedCentrals?.isEmpty ?? true { onSubscription(false) }
    }

    /// 7. A central reads. 收到读请求。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        onStep(7, "a central reads \(request.characteristic.uuid)")
        guard request.characteristic.uuid == goalCharacteristic.uuid else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        let value = Data([UInt8(goal & 0xFF), UInt8(goal >> 8)])
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        // 8. Answer with the value from the offset on. 从偏移量开始回应
        onStep(8, "answer \(goal)")
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    /// 9. A central writes. 收到写请求。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        onStep(9, "a central writes, requests: \(requests.count)")
        guard let first = requests.first else { return }
        // The write succeeds or fails as a whole. One response to the first request answers all. 要么全部成功要么全部失败，只回应第一个请求。
        for request in requests {
            guard request.characteristic.uuid == goalCharacteristic.uuid else {
                return peripheral.respond(to: first, withResult: .writeNotPermitted)
            }
            guard request.offset == 0 else { return peripheral.respond(to: first, withResult: .invalidOffset) }
            guard let value = request.value, value.count == 2 else {
                return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
            }
            goal = UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
        }
        log("the daily goal is \(goal) steps now")
        // 10. Answer the first request, which stands for all. 只回应第一个请求
        onStep(10, "accept \(goal)")
        peripheral.respond(to: first, withResult: .success)
    }

    /// 13. The transmit queue has space again. 又可以发送更新了。
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        onStep(13, "the transmit queue has space")
        if let value = unsent { send(value) }
    }
}
