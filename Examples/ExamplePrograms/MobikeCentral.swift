import CoreBluetooth

/// The phone: finds the bicycle, reads the highest charge, writes the lowest, and receives the new mean.
///
/// 手机端：查找、连接、服务发现、读、写、通知。
public final class MobikeCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { NSLog("%@", $0) }
    /// Called at the end, with nil or an error. 结束时调用。
    public var onFinish: ((any Error)?) -> Void = { _ in }
    /// The new lowest charge in percent. 要写入的最小值。
    public var newMin: UInt8 = 30
    /// The value that was read. 读到的值。
    public private(set) var max: UInt8?
    /// The last notified mean. 最近一次通知的平均值。
    public private(set) var average: UInt8?

    private let queue: DispatchQueue?
    private var trCBCentralManager: CBCentralManager!  // 中心设备管理者
    private var peripheralToConnect: CBPeripheral!  // 要连接的外设，必须持有
    private var trService: CBService!
    private var trCharacteristicMax: CBCharacteristic!
    private var trCharacteristicMin: CBCharacteristic!
    private var trCharacteristicAvg: CBCharacteristic!

    /// All delegate methods run on `queue`; nil is the main queue.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// Starts the program. 开始。
    public func start() { trCBCentralManager = CBCentralManager(delegate: self, queue: queue) }

    /// Disconnects. 断开。
    public func stop() {
        guard let trCBCentralManager, trCBCentralManager.state == .poweredOn else { return onFinish(nil) }
        trCBCentralManager.stopScan()
        guard let peripheralToConnect, peripheralToConnect.state != .disconnected else { return onFinish(nil) }
        trCBCentralManager.cancelPeripheralConnection(peripheralToConnect)
    }

    /// The state of Bluetooth. 检查外设管理器状态
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case CBManagerState.poweredOn:  // 蓝牙已打开正常
            log("启动成功，开始搜索")
            central.scanForPeripherals(withServices: nil, options: nil)  // 不限制
        case CBManagerState.unauthorized:  // 无 BLE 权限
            log("无BLE权限")
        case CBManagerState.poweredOff:  // 蓝牙未打开
            log("蓝牙未开启")
        default:
            log("状态无变化")
        }
    }

    /// A device was discovered. The identifier is a random UUID, so the advertisement identifies the device.
    /// 搜索到设备。identifier 是系统随机生成的，要根据广播内容判断。
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        guard services.contains(where: { $0.uuidString.contains("FF00") }), peripheralToConnect == nil else { return }
        peripheralToConnect = peripheral
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name ?? "?"
        log("搜索到设备，Name=\(name) RSSI=\(RSSI)")
        central.stopScan()
        central.connect(peripheral, options: nil)
    }

    /// Connected. 已建立连接
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log("已连接\(peripheral.name ?? "")")
        peripheral.delegate = self
        peripheral.discoverServices(nil)  // 搜索服务，不做过滤
    }

    /// The connection failed. 建立连接失败
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("连接失败，设备名\(peripheral.name ?? "")，原因\(error?.localizedDescription ?? "")")
        onFinish(error ?? CBError(.connectionFailed))
    }

    /// Disconnected. 已断开
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("已断开")
        peripheralToConnect = nil
        onFinish(error)
    }

    /// Services. 成功扫描到服务
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        log("搜索到\(peripheral.services?.count ?? 0)个服务")
        for service in peripheral.services ?? [] where service.uuid.uuidString.contains("FFEE") {
            log("获取到指定服务 \(service.uuid.uuidString)")
            trService = service
            peripheral.discoverCharacteristics(nil, for: trService)  // 将已搜到的服务参数传入
        }
        if trService == nil {
            log("无有效服务")
            stop()
        }
    }

    /// Characteristics. 搜索到特征，查找指定读写的属性
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            switch characteristic.uuid {
            case Mobike.max: trCharacteristicMax = characteristic  // 获取到 Max 属性
            case Mobike.min: trCharacteristicMin = characteristic  // 获取到 Min 属性
            case Mobike.average: trCharacteristicAvg = characteristic  // 获取到 Avg 属性
            default: break
            }
        }
        guard trCharacteristicMax != nil, trCharacteristicMin != nil, trCharacteristicAvg != nil else {
            log("未能搜索到属性")
            return stop()
        }
        peripheral.readValue(for: trCharacteristicMax)  // 读取 Max 值
        peripheral.setNotifyValue(true, for: trCharacteristicAvg)  // 打开 Notify
    }

    /// The subscription is active. Writes the lowest charge. 通知已打开，改写最小值
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return log("通知错误 \(error.localizedDescription)") }
        guard characteristic.isNotifying else { return stop() }
        peripheral.writeValue(Data([newMin]), for: trCharacteristicMin, type: .withResponse)
    }

    /// Receives results of reads and notifications. 不管是 Read 还是 Notify，接收到数据都会到这里
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return log("读取错误 \(error.localizedDescription)") }
        guard let value = characteristic.value?.first else { return }
        log("成功读取到数据: \(characteristic.uuid.uuidString) = \(value)%")
        if characteristic.uuid == Mobike.max { max = value }
        if characteristic.uuid == Mobike.average {
            average = value
            peripheral.setNotifyValue(false, for: characteristic)  // 关闭 Notify
        }
    }

    /// The write completed. It does not change the local value. 已写入数据（写入不会改变本地的 value）
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error {
            log("写入错误 \(error.localizedDescription)")
        } else {
            log("写入成功，数据：\(newMin)%")
        }
    }
}
