import CoreBluetooth

/// A device whose firmware is updated with MCUmgr: the Simple Management Protocol over Bluetooth LE, in front of the bootloader MCUboot.
///
/// 用 MCUmgr（SMP over BLE）升级固件的设备，可以代替真正的硬件用于测试。
///
/// All of it runs on the queue.
public final class MCUmgrDevice {
    /// The service, which is advertised. 服务。
    public static var service: CBUUID { CBUUID(string: "8D53DC1D-1DB7-4CD3-868B-8A527460AA84") }
    /// The characteristic for requests and responses. 请求和响应的特征。
    public static var characteristic: CBUUID { CBUUID(string: "DA2E7828-FBCE-4E01-AE9E-261174997C48") }

    /// Called after the response to a reset was handed to the manager. The program waits a quarter of a second so that the response leaves, ends the
    /// link as a reset does (`VirtualDevice.restartAdapter()` in a world, the end of the process elsewhere), and calls ``boot()``.
    ///
    /// 复位请求的响应已交给系统。程序稍等片刻，断开连接，再调用 `boot()`。
    public var onReset: () -> Void = {}
    /// Receives log lines. 日志。
    public var log: (String) -> Void = { _ in }

    /// The commands and the flash memory.
    package private(set) var machine: MCUmgrServer

    private let name: String
    private let server: GATTServer
    private var clients: [UUID: SMPReassembly] = [:]

    /// Creates a device that runs an image.
    ///
    /// - Parameters:
    ///   - name: The advertised name. 广播的名字。
    ///   - flash: The memory from an earlier run (``flash``); nil is a new device with version 1.0.0. 上次运行的存储内容。
    ///   - queue: The serial queue of the device; nil is the main queue.
    public init(name: String = "MCUmgr", flash: Data? = nil, queue: DispatchQueue? = nil) {
        self.name = name
        let stored = flash.flatMap { try? PropertyListDecoder().decode(ImageSlots.self, from: $0) }
        let factory = ImageSlots(running: MCUbootImage.make(version: (1, 0, 0), program: Array("factory".utf8)))
        machine = MCUmgrServer(stored ?? factory)
        server = GATTServer(queue: queue) {
            let service = CBMutableService(type: Self.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: Self.characteristic, properties: [.writeWithoutResponse, .notify], value: nil,
                    permissions: .writeable)
            ]
            return .init(name: name, advertised: [Self.service], services: [service])
        }
        server.log = { [weak self] in self?.log($0) }
        server.onSubscription = { [weak self] _, central, isSubscribed in
            // The end of a link discards an incomplete packet. 客户端断开后，未完成的数据包作废。
            self?.clients[central.identifier] = isSubscribed ? SMPReassembly(limit: MCUmgrServer.bufferSize) : nil
        }
        server.onWrite = { [weak self] _, value, central in
            self?.receive(value, from: central)
            return .success
        }
    }

    /// Publishes the service and advertises it. In a `World`, call it inside of `VirtualDevice.run`.
    public func start() { server.start() }

    /// Removes the service.
    public func stop() { server.stop() }

    /// The device starts after a reset: the bootloader swaps images if it was told to. 复位后启动：引导程序按要求交换映像。
    public func boot() {
        machine.reset()
        clients = [:]
        log("running version \(version)")
    }

    /// The version of the image that runs. 正在运行的版本。
    public var version: String { machine.slots.running?.version ?? "none" }

    /// The memory, for a later run. 存储内容，供下次运行使用。
    public var flash: Data {
        get throws {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode(machine.slots)
        }
    }

    private func receive(_ value: Data, from central: CBCentral) {
        // Without a subscription there is no way for a response. 没有订阅就无法回应。
        guard let outcomes = clients[central.identifier]?.receive(value) else { return }
        let wasResetting = machine.wantsReset
        for outcome in outcomes {
            let response =
                switch outcome {
                case .packet(let request): machine.answer(request)
                case .tooLong(let request): machine.refuseLength(of: request)
                }
            var rest = Data(response?.octets ?? [])[...]
            // A long response takes several notifications. 较长的响应分成多个通知。
            let length = max(1, central.maximumUpdateValueLength)
            while !rest.isEmpty {
                server.update(Data(rest.prefix(length)), for: Self.characteristic, to: central)
                rest = rest.dropFirst(length)
            }
        }
        if machine.wantsReset, !wasResetting { onReset() }
    }
}
