import CoreBluetooth

/// A peripheral that gets the details right: reads from an offset, arrays of write requests, and a long text that goes
/// out in notifications as fast as the transmit queue takes them.
///
/// 一个注意细节的外设：按偏移量读、写请求数组、用通知发送长数据（队列满了就等）。
public final class StreamingPeripheral: NSObject, CBPeripheralManagerDelegate {
    /// Generated with uuidgen. 用 uuidgen 生成的 UUID。
    public static var service: CBUUID { CBUUID(string: "71DA3FD1-7E10-41C1-B16F-4430B506CDE7") }
    /// Constant text. 静态特征。
    public static var title: CBUUID { CBUUID(string: "71DA3FD2-7E10-41C1-B16F-4430B506CDE7") }
    /// Text that can be read and written, up to 512 octets. 可读可写的特征。
    public static var note: CBUUID { CBUUID(string: "71DA3FD3-7E10-41C1-B16F-4430B506CDE7") }
    /// `streamed`, in notifications to each subscriber; an empty notification ends it. 把数据分段通知给订阅者。
    public static var stream: CBUUID { CBUUID(string: "71DA3FD4-7E10-41C1-B16F-4430B506CDE7") }

    /// Receives log lines. 日志。
    public var log: (String) -> Void = printLine
    /// The data for each new subscriber. 要发送的数据。
    public var streamed = StreamingPeripheral.stream(of: 20_000)
    /// The current note. 当前内容。
    public private(set) var noteValue = Data("Hello from Linux".utf8)
    /// The number of times that the transmit queue was full. 发送队列满了多少次。
    public private(set) var timesFull = 0

    private let queue: DispatchQueue?
    private var manager: CBPeripheralManager!
    private var streams: [Stream] = []

    private struct Stream {
        let central: CBCentral
        var offset = 0
        var isEnded = false
    }

    // A characteristic with an initial value is static and read-only; the host serves it without a callback.
    // 给了初始值就会被缓存，并且只能读；想要可写或会变化，value 必须为 nil。
    private let titleCharacteristic = CBMutableCharacteristic(
        type: StreamingPeripheral.title, properties: .read, value: Data("Streaming example".utf8),
        permissions: .readable)
    private let noteCharacteristic = CBMutableCharacteristic(
        type: StreamingPeripheral.note, properties: [.read, .write, .writeWithoutResponse], value: nil,
        permissions: [.readable, .writeable])
    private let streamCharacteristic = CBMutableCharacteristic(
        type: StreamingPeripheral.stream, properties: .notify, value: nil, permissions: .readable)

    /// Octets that count from 0 to 255 repeatedly, so that a gap is detectable. 按 0 到 255 循环递增的数据。
    public static func stream(of count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }) }

    /// All delegate methods run on `queue`; nil is the main queue.
    public init(queue: DispatchQueue? = nil) { self.queue = queue }

    /// Starts the program. 开始。
    public func start() { manager = CBPeripheralManager(delegate: self, queue: queue, options: nil) }

    /// Stops advertising and removes the service. 停止。
    public func stop() {
        guard let manager, manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    // MARK: Publish, then advertise. 发布服务，然后广播

    /// The state changed. Publishes the services once Bluetooth is powered on. 蓝牙状态改变，打开后发布服务。
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        // The tree: a service, and its characteristics in it. 树形结构：服务里包含特征
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [titleCharacteristic, noteCharacteristic, streamCharacteristic]
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    /// The service cannot be changed after this call. 发布之后就不能再修改
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return log("could not publish the service: \(error.localizedDescription)") }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Streamer", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    /// Advertising started, or failed to start. 已开始广播。
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        log(error.map { "could not advertise: \($0.localizedDescription)" } ?? "advertising \(Self.service)")
    }

    // MARK: Requests. 响应读写操作

    /// A central reads. 收到读请求。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard request.characteristic.uuid == Self.note else {
            return peripheral.respond(to: request, withResult: .attributeNotFound)
        }
        // A long value is read in parts; the offset of a part must lie within it. 检查偏移量
        guard request.offset <= noteValue.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = noteValue.subdata(in: request.offset..<noteValue.count)
        peripheral.respond(to: request, withResult: .success)
    }

    /// A central writes. 收到写请求。
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        // Apply all requests to a copy: the write succeeds or fails as a whole. 有一个不满足条件就全部放弃
        var value = Data()
        for request in requests {
            guard request.characteristic.uuid == Self.note else {
                return peripheral.respond(to: first, withResult: .attributeNotFound)
            }
            guard request.offset <= value.count else {
                return peripheral.respond(to: first, withResult: .invalidOffset)
            }
            value.replaceSubrange(request.offset..<value.count, with: request.value ?? Data())
            guard value.count <= 512 else {
                return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
            }
        }
        noteValue = value
        log("the note has \(value.count) octets now, from \(requests.count) request\(requests.count == 1 ? "" : "s")")
        // One response to the first request answers the whole array. 只回应数组里的第一个请求
        peripheral.respond(to: first, withResult: .success)
    }

    // MARK: Updates. 发送更新数据给订阅了的 central

    /// A central subscribed. 有设备订阅。
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        log("a central subscribed; \(central.maximumUpdateValueLength) octets fit in one notification")
        streams.append(Stream(central: central))
        send()
    }

    /// A central unsubscribed or disconnected. 有设备取消订阅或断开。
    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        log("a central unsubscribed")
        streams.removeAll { $0.central.identifier == central.identifier }
    }

    /// The transmit queue has space again after updateValue returned false. 队列有空间了，继续发送
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    private func send() {
        for index in streams.indices {
            while !streams[index].isEnded {
                let start = streams[index].offset
                let end = min(streamed.count, start + streams[index].central.maximumUpdateValueLength)
                let part = streamed.subdata(in: start..<end)
                let sent = manager.updateValue(
                    part, for: streamCharacteristic, onSubscribedCentrals: [streams[index].central])
                guard sent else {
                    timesFull += 1
                    return  // The same part goes again when there is room. 等 isReady 之后重发这一段
                }
                streams[index].offset = end
                streams[index].isEnded = part.isEmpty
                if part.isEmpty { log("sent \(streamed.count) octets; the queue was full \(timesFull) times so far") }
            }
        }
    }
}
