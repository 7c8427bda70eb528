internal import BLEAdapter
internal import BLEWire
import CoreBluetooth

/// A lamp in a Bluetooth mesh: a device that is provisioned over PB-GATT, and a node that is controlled through its GATT proxy.
///
/// 蓝牙 Mesh 灯：通过 PB-GATT 入网，之后通过 GATT 代理控制。
///
/// All of it runs on the queue. It has no other bearer than GATT: messages to other nodes end here.
public final class MeshLamp {
    /// The provisioning service and its characteristics. 入网服务。
    public static var provisioningService: CBUUID { CBUUID(string: "1827") }
    /// Written by the provisioner. 入网数据输入。
    public static var provisioningIn: CBUUID { CBUUID(string: "2ADB") }
    /// Notifies the provisioner. 入网数据输出。
    public static var provisioningOut: CBUUID { CBUUID(string: "2ADC") }
    /// The proxy service and its characteristics. 代理服务。
    public static var proxyService: CBUUID { CBUUID(string: "1828") }
    /// Written by the client. 代理数据输入。
    public static var proxyIn: CBUUID { CBUUID(string: "2ADD") }
    /// Notifies the client. 代理数据输出。
    public static var proxyOut: CBUUID { CBUUID(string: "2ADE") }

    /// Called when the light was switched. 灯的开关状态改变。
    public var onSwitch: (Bool) -> Void = { _ in }
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { _ in }
    /// Whether the light is on. 灯是否亮着。
    public var isOn: Bool { node.models?.isOn ?? false }
    /// Whether the lamp belongs to a network. 是否已入网。
    public var isProvisioned: Bool { node.isProvisioned }

    package private(set) var node: MeshNode

    private let name: String
    private let identifier: UUID
    private let makeSecrets: () -> Provisionee.Secrets
    private var server: GATTServer!
    private var reassembly = ProxyReassembly()
    /// The one client.
    private var client: CBCentral?
    private var isReset = false

    /// Creates a lamp that belongs to no network.
    ///
    /// - Parameters:
    ///   - name: The advertised name. 广播的名字。
    ///   - identifier: The device UUID, which provisioners see. 设备 UUID。
    ///   - queue: The serial queue of the lamp; nil is the main queue.
    public convenience init(name: String = "Lamp", identifier: UUID, queue: DispatchQueue? = nil) {
        self.init(name: name, identifier: identifier, queue: queue, makeSecrets: Provisionee.Secrets.make)
    }

    /// - Parameter makeSecrets: Makes the secrets of a session. A test gives fixed ones.
    package init(
        name: String, identifier: UUID, queue: DispatchQueue?, makeSecrets: @escaping () -> Provisionee.Secrets
    ) {
        self.name = name
        self.identifier = identifier
        self.makeSecrets = makeSecrets
        node = MeshNode(makeSecrets())
        server = GATTServer(queue: queue) { [weak self] in
            self?.content ?? .init(name: "", advertised: [], services: [])
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

    private var content: GATTServer.Content {
        let (service, input, output) =
            node.isProvisioned
            ? (Self.proxyService, Self.proxyIn, Self.proxyOut)
            : (Self.provisioningService, Self.provisioningIn, Self.provisioningOut)
        let published = CBMutableService(type: service, primary: true)
        published.characteristics = [
            CBMutableCharacteristic(
                type: input, properties: .writeWithoutResponse, value: nil, permissions: .writeable),
            CBMutableCharacteristic(type: output, properties: .notify, value: nil, permissions: .readable),
        ]
        return .init(name: name, advertised: [service], services: [published])
    }

    /// Advertises service data: the device UUID, or the network ID. Apple's API has no way to do so; a copy of this class outside of the package
    /// omits it.
    ///
    /// 广播服务数据（设备 UUID 或网络 ID）。苹果的 API 不支持。
    private func advertise(_ manager: CBPeripheralManager) {
        let data: [UInt8]
        if let networkID = node.networkID {
            data = [0x28, 0x18, 0] + networkID
        } else {
            // No information about out-of-band data.
            data = [0x27, 0x18] + withUnsafeBytes(of: identifier.uuid) { Array($0) } + [0, 0]
        }
        let service = BluetoothUUID(node.isProvisioned ? UInt16(0x1828) : 0x1827)
        manager.startAdvertising(
            Advertisement(localName: name, services: [service], structures: [.init(type: 0x16, octets: data)]))
    }

    private func subscriptionChanged(_ central: CBCentral, _ isSubscribed: Bool) {
        if isSubscribed, client == nil {
            client = central
            reassembly = ProxyReassembly()
            send(node.connected())
        } else if !isSubscribed, client?.identifier == central.identifier {
            client = nil
            node.disconnected(makeSecrets)
            if isReset { node.reset(makeSecrets()) }
            isReset = false
            // A new node has other services, and so has one that has left its network. 入网或退网之后服务不同。
            server.publishAgain()
        }
    }

    private func receive(_ part: [UInt8], from central: CBCentral) {
        guard client?.identifier == central.identifier, let message = reassembly.receive(part) else { return }
        let wasProvisioned = node.isProvisioned
        send(node.receive(message))
        if node.isProvisioned, !wasProvisioned { log("provisioned with the address \(node.address ?? 0)") }
        switch node.effect {
        case .switched(let isOn): onSwitch(isOn)
        case .reset: isReset = true
        case .addedKey, nil: break
        }
    }

    private func send(_ messages: [ProxyPDU]) {
        guard let client else { return }
        // Before the end of the link that provisions, its service is still there. 入网的连接结束之前仍用入网服务。
        for message in messages {
            let output = message.kind == .provisioning ? Self.provisioningOut : Self.proxyOut
            for part in message.parts(client.maximumUpdateValueLength) {
                server.update(Data(part), for: output, to: client)
            }
        }
    }
}
