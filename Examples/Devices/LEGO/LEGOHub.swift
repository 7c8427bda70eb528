internal import BLEAdapter
internal import BLEWire
import CoreBluetooth

/// A LEGO hub with two ports: a train motor, the light of the hub, an ammeter, and a voltmeter.
///
/// 乐高集线器：一个火车马达、一个指示灯、一个电流表、一个电压表。
///
/// All of it runs on the queue.
public final class LEGOHub {
    /// The service, which is advertised. 服务。
    public static var service: CBUUID { CBUUID(string: "00001623-1212-EFDE-1623-785FEABCD123") }
    /// The characteristic for messages in both directions. 双向消息的特征。
    public static var characteristic: CBUUID { CBUUID(string: "00001624-1212-EFDE-1623-785FEABCD123") }

    /// Called when a client has set the power of the motor, -100 to 100 percent. 马达功率。
    public var onPower: (Int) -> Void = { _ in }
    /// Called when a client has set the colour of the light, 0 (off) to 10. 指示灯颜色。
    public var onColour: (Int) -> Void = { _ in }
    /// Called when a client wants the hub to switch off or to disconnect. The program ends the link. 客户端要求关机或断开。
    public var onEnd: () -> Void = {}
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { _ in }
    /// The name, which clients can change. 名字，客户端可以修改。
    public var name: String { machine.name }

    package private(set) var machine: LEGOHubMachine
    private var server: GATTServer!
    /// The one client.
    private var client: CBCentral?

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - name: The name, of which 14 octets are used. 名字。
    ///   - queue: The serial queue of the hub; nil is the main queue.
    public init(name: String = "Train Hub", queue: DispatchQueue? = nil) {
        machine = LEGOHubMachine(name: name)
        server = GATTServer(queue: queue) { [weak self] in
            let service = CBMutableService(type: Self.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: Self.characteristic, properties: [.write, .writeWithoutResponse, .notify], value: nil,
                    permissions: .writeable)
            ]
            return .init(name: self?.name ?? "", advertised: [Self.service], services: [service])
        }
        server.log = { [weak self] in self?.log($0) }
        server.advertisement = { [weak self] in self?.advertise($0) }
        server.onSubscription = { [weak self] _, central, isSubscribed in
            self?.subscriptionChanged(central, isSubscribed)
        }
        server.onWrite = { [weak self] _, value, central in
            self?.receive(Array(value), from: central)
            return .success
        }
    }

    /// Publishes the service and advertises it. In a `World`, call it inside of `VirtualDevice.run`.
    public func start() { server.start() }

    /// Removes the service.
    public func stop() { server.stop() }

    /// The battery has another charge, percent. 电量。
    public func charge(to percent: UInt8) { send(machine.charge(to: percent)) }
    /// The button of the hub is pressed, or released. 按下或松开按钮。
    public func press(_ isPressed: Bool) { send(machine.press(isPressed)) }
    /// The voltmeter shows another value, millivolts. 电压。
    public func measure(millivolts: UInt16) {
        send(machine.measure(millivolts, port: LEGOHubMachine.voltagePort))
    }
    /// The ammeter shows another value, milliamperes. 电流。
    public func measure(milliamperes: UInt16) {
        send(machine.measure(milliamperes, port: LEGOHubMachine.currentPort))
    }

    /// Advertises the manufacturer data by which clients know the kind of hub. Apple's API has no way to do so; a copy of this class outside of the
    /// package omits it.
    ///
    /// 广播厂商数据（集线器种类）。苹果的 API 不支持。
    private func advertise(_ manager: CBPeripheralManager) {
        // LEGO's company identifier; button, kind, capabilities, last network, status, option.
        let data: [UInt8] = [0x97, 0x03, 0, 0x41, 0x02, 0, 0, 0]
        manager.startAdvertising(
            Advertisement(
                localName: name, services: [BluetoothUUID(Self.service.uuidString)].compactMap { $0 },
                structures: [.init(type: 0xFF, octets: data)]))
    }

    private func subscriptionChanged(_ central: CBCentral, _ isSubscribed: Bool) {
        if isSubscribed, client == nil {
            client = central
            send(machine.connected())
        } else if !isSubscribed, client?.identifier == central.identifier {
            client = nil
        }
    }

    private func receive(_ message: [UInt8], from central: CBCentral) {
        guard client?.identifier == central.identifier else { return }
        send(machine.receive(message))
        switch machine.action {
        case .power(_, let power): onPower(power)
        case .colour(let colour): onColour(Int(colour))
        case .switchOff, .disconnect: onEnd()
        case .renamed(let name): log("renamed to \(name)")
        case nil: break
        }
    }

    private func send(_ messages: [[UInt8]]) {
        guard let client else { return }
        for message in messages { server.update(Data(message), for: Self.characteristic, to: client) }
    }
}
