import CoreBluetooth

/// A BBC micro:bit with its Bluetooth profile: lights, buttons, accelerometer, thermometer, events.
///
/// BBC micro:bit 的蓝牙服务：LED、按钮、加速度计、温度计、事件。
///
/// All of it runs on the queue.
public final class MicrobitDevice {
    /// A button. 按钮。
    public enum Button: Int, Sendable {
        /// The left one. 左边的按钮。
        case left = 0
        /// The right one. 右边的按钮。
        case right = 1
    }

    /// The services, each with its characteristics. 服务和特征。
    private static let services: [(UInt16, [MicrobitBoard.Characteristic])] = [
        (0x0753, [.acceleration, .accelerationPeriod]), (0x9882, [.buttonA, .buttonB]),
        (0xD91D, [.lights, .text, .scrollingDelay]), (0x6100, [.temperature, .temperaturePeriod]),
        (0x93AF, [.boardRequirements, .boardEvent, .clientRequirements, .clientEvent]),
    ]
    /// Pressed and released, as events of the message bus.
    private static let buttonEvents: [UInt16] = [1, 2]

    /// The UUID of a service or characteristic of the profile. 由四位数字得到完整的 UUID。
    public static func uuid(_ digits: UInt16) -> CBUUID {
        let text = String(digits, radix: 16, uppercase: true)
        return CBUUID(
            string: "E95D" + String(repeating: "0", count: 4 - text.count) + text + "-251D-470A-A062-FA1922DFA9A8")
    }

    /// The UUIDs of the services. 所有服务。
    public static var serviceUUIDs: [CBUUID] { services.map { uuid($0.0) } }

    /// Called when a client has set the lights: five rows, the top one first, whose bit 4 is the left light. LED 改变。
    public var onLights: ([UInt8]) -> Void = { _ in }
    /// Called when a client has sent a text to scroll. 收到要滚动显示的文字。
    public var onText: (String) -> Void = { _ in }
    /// Called when a client has sent an event of the message bus: source and value. 收到事件。
    public var onEvent: (UInt16, UInt16) -> Void = { _, _ in }
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { _ in }

    package private(set) var board = MicrobitBoard()
    private let server: GATTServer
    private var subscribers: Set<UUID> = []

    /// Creates a board.
    ///
    /// - Parameters:
    ///   - name: The advertised name. Real boards have one of five letters in the brackets. 广播的名字。
    ///   - queue: The serial queue of the board; nil is the main queue.
    public init(name: String = "BBC micro:bit [zotut]", queue: DispatchQueue? = nil) {
        server = GATTServer(queue: queue) {
            let services = Self.services.map { digits, characteristics in
                let service = CBMutableService(type: Self.uuid(digits), primary: true)
                service.characteristics = characteristics.map(Self.characteristic)
                return service
            }
            // The board advertises its name alone. 只广播名字。
            return .init(name: name, advertised: [], services: services)
        }
        server.log = { [weak self] in self?.log($0) }
        server.onRead = { [weak self] uuid, _ in
            guard let self, let characteristic = Self.characteristic(uuid) else { return nil }
            return board.value(of: characteristic).map { Data($0) }
        }
        server.onWrite = { [weak self] uuid, value, _ in self?.write(Array(value), to: uuid) ?? .unlikelyError }
        server.onSubscription = { [weak self] uuid, central, isSubscribed in
            guard let self, Self.characteristic(uuid) == .boardEvent else { return }
            if isSubscribed { subscribers.insert(central.identifier) } else { subscribers.remove(central.identifier) }
            if subscribers.isEmpty { board.disconnected() }
        }
    }

    /// Publishes the services and advertises the name. In a `World`, call it inside of `VirtualDevice.run`.
    public func start() { server.start() }

    /// Removes the services.
    public func stop() { server.stop() }

    // MARK: Inputs of the board 板子上发生的事情

    /// A button is pressed, or released. 按下或松开按钮。
    public func press(_ button: Button, _ isPressed: Bool) {
        board.buttons[button.rawValue] = isPressed ? 1 : 0
        notify(button == .left ? .buttonA : .buttonB)
        send(source: UInt16(button.rawValue + 1), value: Self.buttonEvents[isPressed ? 0 : 1])
    }

    /// The period of the accelerometer, milliseconds, which a client sets. Call ``measure()`` once in each period. 加速度计的周期，毫秒。
    public var accelerationPeriod: Int { Int(board.accelerationPeriod) }

    /// The accelerometer measures: sends the acceleration to clients that have subscribed, also if it has not changed. Does nothing while earlier
    /// values wait for the link.
    ///
    /// 加速度计采样：即使数值没有变化，也通知客户端；之前的通知还没发出去时跳过。
    public func measure() { if server.isIdle { notify(.acceleration) } }

    /// The board is moved. The numbers are thousandths of the gravity. 加速度，单位千分之一重力。
    public func accelerate(x: Int16, y: Int16, z: Int16) {
        board.acceleration = (x, y, z)
        notify(.acceleration)
    }

    /// The temperature changes; °C. 温度。
    public func warm(to temperature: Int8) {
        board.temperature = temperature
        notify(.temperature)
    }

    /// Sends an event of the message bus to clients that want it. 向需要它的客户端发送事件。
    public func send(source: UInt16, value: UInt16) {
        let event = MicrobitBoard.Event(source: source, value: value)
        guard board.clientWants(event) else { return }
        server.update(
            Data(source.littleEndianOctets + value.littleEndianOctets),
            for: Self.uuid(MicrobitBoard.Characteristic.boardEvent.rawValue))
    }

    private func notify(_ characteristic: MicrobitBoard.Characteristic) {
        guard let value = board.value(of: characteristic) else { return }
        server.update(Data(value), for: Self.uuid(characteristic.rawValue))
    }

    private func write(_ value: [UInt8], to uuid: CBUUID) -> CBATTError.Code {
        guard let characteristic = Self.characteristic(uuid) else { return .writeNotPermitted }
        do throws(MicrobitBoard.Refusal) {
            for action in try board.write(value, to: characteristic) {
                switch action {
                case .lights(let rows): onLights(rows)
                case .text(let text): onText(text)
                case .event(let event): onEvent(event.source, event.value)
                }
            }
            return .success
        } catch {
            switch error {
            case .wrongLength: return .invalidAttributeValueLength
            case .wrongValue: return .requestNotSupported
            case .notWritable: return .writeNotPermitted
            }
        }
    }

    private static func characteristic(_ uuid: CBUUID) -> MicrobitBoard.Characteristic? {
        MicrobitBoard.Characteristic.allCases.first { Self.uuid($0.rawValue) == uuid }
    }

    private static func characteristic(_ characteristic: MicrobitBoard.Characteristic) -> CBMutableCharacteristic {
        let (properties, permissions): (CBCharacteristicProperties, CBAttributePermissions) =
            switch characteristic {
            case .acceleration, .buttonA, .buttonB, .temperature, .boardRequirements, .boardEvent:
                ([.read, .notify], .readable)
            case .accelerationPeriod, .temperaturePeriod, .lights, .scrollingDelay:
                ([.read, .write], [.readable, .writeable])
            case .text, .clientRequirements: (.write, .writeable)
            case .clientEvent: ([.write, .writeWithoutResponse], .writeable)
            }
        return CBMutableCharacteristic(
            type: uuid(characteristic.rawValue), properties: properties, value: nil, permissions: permissions)
    }
}
