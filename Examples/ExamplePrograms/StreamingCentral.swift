import CoreBluetooth

/// The central for `StreamingPeripheral`: reads the title, writes and reads the note, and takes the stream to its end. It
/// counts what comes, and what is missing.
///
/// 与 StreamingPeripheral 配对的中心设备：读标题，读写内容，接收整个数据流，并统计速率和丢失。
public final class StreamingCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    /// Receives log lines. 日志。
    public var log: (String) -> Void = printLine
    /// Called at the end, with nil for a complete stream or with an error. 结束时调用。
    public var onFinish: ((any Error)?) -> Void = { _ in }
    /// The text for the note. 要写入的内容。
    public var note = Data("Hello from the central".utf8)
    /// The current time in seconds. Tests use their own clock. 当前时间（秒）。
    public var now: () -> Double = { ProcessInfo.processInfo.systemUptime }

    /// The title that was read. 读到的标题。
    public private(set) var title: Data?
    /// The note that was read after the write. 写入之后读回的内容。
    public private(set) var noteRead: Data?
    /// The statistics of the stream. 数据流的统计。
    public private(set) var stream = StreamCount()
    /// Whether the stream is complete. 数据流是否完整结束。
    public private(set) var hasEnd = false

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var lastReport = 0.0

    /// All delegate methods run on `queue`; nil is the main queue.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// Starts the program. 开始。
    public func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    /// Disconnects at any step. 停止。
    public func stop() {
        guard let manager, manager.state == .poweredOn else { return onFinish(nil) }
        manager.stopScan()
        guard let peripheral, peripheral.state != .disconnected else { return onFinish(nil) }
        manager.cancelPeripheralConnection(peripheral)
    }

    // MARK: Find and connect. 查找并连接

    /// The state changed. 蓝牙状态改变。
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        log("searching for a device that advertises \(StreamingPeripheral.service)")
        central.scanForPeripherals(withServices: [StreamingPeripheral.service])
    }

    /// A device with the service was discovered. 发现外设。
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        central.connect(peripheral)
    }

    /// Connected. 已连接。
    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([StreamingPeripheral.service])
    }

    /// The attempt to connect failed. 连接失败。
    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        onFinish(error ?? CBError(.connectionFailed))
    }

    /// The connection ended. 连接已断开。
    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("total: \(stream)\(hasEnd ? "" : "; the stream did not come to its end")")
        self.peripheral = nil
        onFinish(error)
    }

    // MARK: Discover, read, write, subscribe. 发现、读、写、订阅

    /// The service was discovered. 发现服务。
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    /// The characteristics were discovered. Requests are sent in the order of the calls.
    /// 发现特征；请求会按顺序发送。
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            switch characteristic.uuid {
            case StreamingPeripheral.title: peripheral.readValue(for: characteristic)
            case StreamingPeripheral.note:
                // The host splits a value that is longer than a packet. 超过一个包的长度会分段写入
                peripheral.writeValue(note, for: characteristic, type: .withResponse)
                peripheral.readValue(for: characteristic)
            case StreamingPeripheral.stream: peripheral.setNotifyValue(true, for: characteristic)
            default: break
            }
        }
    }

    /// The write of the note completed or failed. 写入的结果。
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        log(error.map { "the note was not written: \($0.localizedDescription)" } ?? "wrote \(note.count) octets")
    }

    /// Receives the result of a read, or a part of the stream. 收到读的结果或通知。
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return log("\(characteristic.uuid): \(error.localizedDescription)") }
        let value = characteristic.value ?? Data()
        switch characteristic.uuid {
        case StreamingPeripheral.title:
            title = value
            log("connected to \"\(String(decoding: value, as: UTF8.self))\"")
        case StreamingPeripheral.note:
            noteRead = value
            log("the note has \(value.count) octets, \(value == note ? "as written" : "not those that were written")")
        case StreamingPeripheral.stream: take(value, from: peripheral)
        default: break
        }
    }

    private func take(_ part: Data, from peripheral: CBPeripheral) {
        // An empty part ends the stream. 空的通知表示结束
        guard !part.isEmpty else {
            hasEnd = true
            return manager.cancelPeripheralConnection(peripheral)
        }
        let time = now()
        if stream.notifications == 0 { lastReport = time }
        stream.add(part, at: time)
        guard time - lastReport >= 1 else { return }
        lastReport = time
        log("\(stream)")
    }
}

/// The statistics of a stream whose octets count from 0 to 255 repeatedly. 数据流的统计：数据按 0 到 255 循环递增。
public struct StreamCount: CustomStringConvertible {
    /// The number of notifications. 通知数。
    public private(set) var notifications = 0
    /// The number of octets. 字节数。
    public private(set) var octets = 0
    /// The minimum number of missing octets: gaps are known modulo 256. 至少丢失的字节数（按 256 取模）。
    public private(set) var missing = 0
    /// From the first notification to the last one. 时长（秒）。
    public var seconds: Double { end - begin }
    /// Octets per second after the first notification; 0 before there are two. 速率（字节每秒）。
    public var rate: Double { seconds > 0 ? Double(octets - firstOctets) / seconds : 0 }

    private var next: UInt8 = 0
    private var firstOctets = 0
    private var begin = 0.0
    private var end = 0.0

    /// No data has arrived yet. 还没有数据。
    public init() {}

    /// Adds a part that arrived at this time in seconds. 统计收到的一段数据。
    public mutating func add(_ part: Data, at time: Double) {
        if notifications == 0 {
            begin = time
            firstOctets = part.count
        }
        end = time
        notifications += 1
        octets += part.count
        for octet in part {
            missing += Int(octet &- next)
            next = octet &+ 1
        }
    }

    /// The text for the log. 日志文字。
    public var description: String {
        let kilobytes = (rate / 100).rounded() / 10
        let loss = missing == 0 ? "nothing missing" : "at least \(missing) missing"
        return "\(octets) octets in \(notifications) notifications, \(kilobytes) kB/s, \(loss)"
    }
}
