import CoreBluetooth

/// The device for `FrameCentral`: tests a protocol before the device exists.
///
/// 外围设备（发送数据）：可用来在设备未做好之前测试协议。
public final class FramePeripheral: NSObject, CBPeripheralManagerDelegate {
    /// Receives log lines. 日志。
    public var log: (String) -> Void = printLine
    /// The advertised name. 广播的名字。
    public var name = "device01"
    /// The frames that centrals wrote. 收到的数据帧。
    public private(set) var received: [Data] = []

    private let queue: DispatchQueue?
    private var peripheralManager: CBPeripheralManager!
    // The subscribed centrals. 联入的设备。
    private var centrals: [CBCentral] = []
    private var unsent = 0

    // A property, not a permission, allows subscriptions. 能否订阅由 properties 决定，而不是 permissions。
    private let writeCharacteristic = CBMutableCharacteristic(
        type: Frames.write, properties: .write, value: nil, permissions: .writeable)
    private let readCharacteristic = CBMutableCharacteristic(
        type: Frames.read, properties: [.read, .notify], value: nil, permissions: .readable)

    /// All delegate methods run on `queue`; nil is the main queue.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// 1. Create the manager, which starts the program. 创建外围设备管理者（发射数据）
    public func start() { peripheralManager = CBPeripheralManager(delegate: self, queue: queue) }

    /// Stops advertising and removes the service. 停止。
    public func stop() {
        guard let peripheralManager, peripheralManager.state == .poweredOn else { return }
        peripheralManager.stopAdvertising()
        peripheralManager.removeAllServices()
    }

    /// 2. The state changed. 蓝牙状态发生改变时调用（必须实现）
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        switch peripheral.state {
        case .poweredOn:
            log("Bluetooth is on")
            // 2.1 Add the service with its characteristics. 添加服务和特征
            let service = CBMutableService(type: Frames.service, primary: true)
            service.characteristics = [writeCharacteristic, readCharacteristic]
            peripheral.removeAllServices()
            peripheral.add(service)
        case .poweredOff: log("Bluetooth is off")
        default: break
        }
    }

    /// 3. The service was published. 外围设备添加 service 后调用
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return log("could not add the service: \(error.localizedDescription)") }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }

    /// 3.1 Start to advertise. 启动广播
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        log(error.map { "could not advertise: \($0.localizedDescription)" } ?? "advertising as \(name)")
    }

    /// 4. A central subscribed. 有设备订阅后调用
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        log("a central subscribed")
        if !centrals.contains(where: { $0.identifier == central.identifier }) { centrals.append(central) }
    }

    /// 4.1 A central unsubscribed. 有设备取消订阅后调用
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        log("a central unsubscribed")
        centrals.removeAll { $0.identifier == central.identifier }
    }

    /// 5. A value was written. 收到写数据请求后调用
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        var frames: [Data] = []
        for request in requests {
            guard request.offset == 0, let value = request.value, value.count == 16 else {
                return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
            }
            frames.append(value)
        }
        received += frames
        log("received \(frames.count) frame of 16 octets")
        // Without a response the central's request times out after 30 s. 必须回应，否则对方会超时。
        peripheral.respond(to: first, withResult: .success)
        unsent += frames.count
        sendAnswers()
    }

    /// 5.1 A central reads. 收到读数据请求后调用
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard request.offset <= Frames.answer.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = Frames.answer.subdata(in: request.offset..<Frames.answer.count)
        peripheral.respond(to: request, withResult: .success)
    }

    /// 7. The transmit queue has space again. 再次准备好更新特征值时调用
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { sendAnswers() }

    private func sendAnswers() {
        while unsent > 0,
            peripheralManager.updateValue(Frames.answer, for: readCharacteristic, onSubscribedCentrals: nil)
        {
            unsent -= 1
        }
    }
}
