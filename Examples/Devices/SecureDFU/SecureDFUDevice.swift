import Crypto
import CoreBluetooth

/// A device whose firmware is updated with Nordic's secure DFU. Its application has the buttonless service; its bootloader takes the firmware, under
/// another address.
///
/// 用 Nordic 安全 DFU 升级固件的设备：应用程序带无按钮服务，引导程序以另一个地址出现并接收固件。
///
/// All of it runs on the queue.
public final class SecureDFUDevice {
    /// The part of the firmware that runs. 设备正在运行的部分。
    public enum Mode: String, Codable, Sendable {
        /// The application, whose buttonless service starts the bootloader. 应用程序。
        case application
        /// The bootloader, which takes a firmware. 引导程序。
        case bootloader
    }

    private struct Flash: Codable {
        var mode: Mode
        var name: String?
        var installed: DFUTarget.Firmware
        var progress: DFUTarget.Progress
    }

    /// The service of the application and the bootloader. 服务。
    public static var service: CBUUID { CBUUID(string: "FE59") }
    /// The control point of the bootloader. 控制点。
    public static var controlPoint: CBUUID { CBUUID(string: "8EC90001-F315-4F60-9FB8-838830DAEA50") }
    /// The packets of the firmware. 数据包。
    public static var packet: CBUUID { CBUUID(string: "8EC90002-F315-4F60-9FB8-838830DAEA50") }
    /// The buttonless characteristic of an application whose bootloader has another address. 无按钮，不共享绑定。
    public static var buttonless: CBUUID { CBUUID(string: "8EC90003-F315-4F60-9FB8-838830DAEA50") }
    /// The buttonless characteristic of an application that shares its bonds and its address with the bootloader. 无按钮，共享绑定。
    public static var buttonlessWithBonds: CBUUID { CBUUID(string: "8EC90004-F315-4F60-9FB8-838830DAEA50") }

    private static let nameLimit = 20

    /// Called when the device resets, with the mode in which it starts. The program waits a quarter of a second so that the last response leaves,
    /// ends the link, calls ``boot()``, and then ``start()``: for the bootloader at another device of the world, or under the next address of a
    /// shared radio.
    ///
    /// 设备复位时调用，参数是复位后的模式。程序断开连接，调用 `boot()`，再以新的地址调用 `start()`。
    public var onReset: (Mode) -> Void = { _ in }
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { _ in }
    /// The part of the firmware that runs. 正在运行的部分。
    public var mode: Mode { flash.mode }
    /// The version of the application. 应用程序的版本。
    public var version: UInt64 { flash.installed.version }
    /// The octets of the application. 应用程序的内容。
    public var firmware: Data { Data(flash.installed.octets) }

    /// The bootloader.
    package private(set) var target: DFUTarget

    private let name: String
    private let sharesBonds: Bool
    private let rules: DFUTarget.Rules
    private var flash: Flash
    private var server: GATTServer!
    private var next: Mode?
    private var subscriptions: Set<CBUUID> = []

    /// Creates a device that runs an application. Throws an error if the key is none.
    ///
    /// - Parameters:
    ///   - name: The advertised name of the application. 广播的名字。
    ///   - memory: The flash memory of an earlier run (``memory``); nil is a new device with version 1. 上次运行的存储内容。
    ///   - key: The public key of the firmware's author, 64 octets of P-256; nil accepts every firmware. 固件作者的公钥。
    ///   - sharesBonds: Whether the bootloader has the address of the application, which then requires encryption. 引导程序是否沿用地址和绑定。
    ///   - queue: The serial queue of the device; nil is the main queue.
    public init(
        name: String = "DFU", memory: Data? = nil, key: Data? = nil, sharesBonds: Bool = false,
        queue: DispatchQueue? = nil
    ) throws {
        self.name = name
        self.sharesBonds = sharesBonds
        var rules = DFUTarget.Rules()
        rules.key = try key.map { try P256.Signing.PublicKey(rawRepresentation: $0) }
        self.rules = rules
        let stored = memory.flatMap { try? PropertyListDecoder().decode(Flash.self, from: $0) }
        let flash =
            stored
            ?? Flash(
                mode: .application, installed: .init(version: 1, octets: Array("factory".utf8)), progress: .init())
        self.flash = flash
        target = DFUTarget(rules, installedVersion: flash.installed.version, progress: flash.progress)
        server = GATTServer(queue: queue) { [weak self] in
            self?.content ?? .init(name: "", advertised: [], services: [])
        }
        server.log = { [weak self] in self?.log($0) }
        server.onSubscription = { [weak self] characteristic, _, isSubscribed in
            self?.subscriptionChanged(characteristic, isSubscribed)
        }
        server.onWrite = { [weak self] in self?.receive($0, $1, from: $2) ?? .unlikelyError }
    }

    /// Publishes the services of the present mode and advertises them. In a `World`, call it inside of `VirtualDevice.run`.
    public func start() { server.start() }

    /// Removes the services.
    public func stop() {
        server.stop()
        subscriptions = []
    }

    /// The device starts after a reset, in the mode of the last ``onReset``; without one, in its present mode. 复位后启动。
    public func boot() {
        if let next { flash.mode = next }
        if next == .application { flash.name = nil }
        next = nil
        if let finished = target.finished { flash.installed = finished }
        target = DFUTarget(rules, installedVersion: flash.installed.version, progress: target.progress)
        subscriptions = []
        log("\(flash.mode), firmware version \(version)")
    }

    /// The flash memory, for a later run. 存储内容，供下次运行使用。
    public var memory: Data {
        get throws {
            var flash = flash
            flash.progress = target.progress
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode(flash)
        }
    }

    private var content: GATTServer.Content {
        let service = CBMutableService(type: Self.service, primary: true)
        switch flash.mode {
        case .application:
            service.characteristics = [
                CBMutableCharacteristic(
                    type: sharesBonds ? Self.buttonlessWithBonds : Self.buttonless, properties: [.write, .indicate],
                    value: nil, permissions: sharesBonds ? .writeEncryptionRequired : .writeable)
            ]
            return .init(name: name, advertised: [Self.service], services: [service])
        case .bootloader:
            service.characteristics = [
                CBMutableCharacteristic(
                    type: Self.controlPoint, properties: [.write, .notify], value: nil, permissions: .writeable),
                CBMutableCharacteristic(
                    type: Self.packet, properties: .writeWithoutResponse, value: nil, permissions: .writeable),
            ]
            return .init(name: flash.name ?? "DfuTarg", advertised: [Self.service], services: [service])
        }
    }

    private func subscriptionChanged(_ characteristic: CBUUID, _ isSubscribed: Bool) {
        if isSubscribed {
            subscriptions.insert(characteristic)
        } else {
            subscriptions.remove(characteristic)
            target.disconnected()
        }
    }

    private func receive(_ characteristic: CBUUID, _ value: Data, from central: CBCentral) -> CBATTError.Code {
        switch characteristic {
        case Self.packet:
            if let receipt = target.packet(Array(value)) {
                server.update(Data(receipt), for: Self.controlPoint, to: central)
            }
            return .success
        // A response needs a subscription: "Client Characteristic Configuration Descriptor Improperly Configured". 没有订阅就无法回应。
        case _ where !subscriptions.contains(characteristic):
            return CBATTError.Code(rawValue: 0xFD) ?? .requestNotSupported
        case Self.controlPoint: control(Array(value), from: central)
        default: command(Array(value), characteristic, from: central)
        }
        return .success
    }

    private func control(_ request: [UInt8], from central: CBCentral) {
        let hadFinished = target.finished != nil || target.isAborted
        if let response = target.control(request) {
            server.update(Data(response), for: Self.controlPoint, to: central)
        }
        if !hadFinished, target.finished != nil || target.isAborted { reset(to: .application) }
    }

    /// A request to the buttonless characteristic.
    private func command(_ request: [UInt8], _ characteristic: CBUUID, from central: CBCentral) {
        guard let code = request.first else { return }
        func respond(_ result: UInt8) { server.update(Data([0x20, code, result]), for: characteristic, to: central) }
        switch code {
        case _ where next != nil: respond(6)
        case 1:
            respond(1)
            reset(to: .bootloader)
        case 2 where !sharesBonds:
            guard let length = request.dropFirst().first, request.count == 2 + Int(length),
                (1...Self.nameLimit).contains(Int(length)), let name = String(bytes: request[2...], encoding: .utf8)
            else { return respond(5) }
            flash.name = name
            respond(1)
        default: respond(2)
        }
    }

    private func reset(to mode: Mode) {
        next = mode
        onReset(mode)
    }
}
