import BLESimulator
import CoreBluetooth
import Foundation

/// A program that offers channels and keeps those that were opened.
final class ChannelPeripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "peripheral")
    let events = Locked<[String]>([])
    let channels = Locked<[CBL2CAPChannel]>([])
    let psms = Locked<[CBL2CAPPSM]>([])
    private let opened = Locked<((CBL2CAPChannel) -> Void)?>(nil)
    private(set) var manager: CBPeripheralManager!
    static let service = CBUUID(string: "FEE7")

    init(_ device: VirtualDevice) {
        super.init()
        manager = device.run { CBPeripheralManager(delegate: self, queue: queue) }
    }

    func onOpen(_ body: @escaping (CBL2CAPChannel) -> Void) { opened { $0 = body } }

    func note(_ event: String) { events { $0.append(event) } }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
        peripheral.publishL2CAPChannel(withEncryption: false)
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        if error == nil { psms { $0.append(PSM) } }
        note("published \(error.map { "\(($0 as NSError).code)" } ?? "well")")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) { note("unpublished \(PSM == psms.value.first) \(error.map { "\(($0 as NSError).code)" } ?? "well")") }
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else { return note("opened nil") }
        channels { $0.append(channel) }
        note("opened \(channel.peer is CBCentral) \(psms.value.contains(channel.psm))")
        opened.value?(channel)
    }
}

/// A program that connects to it and opens channels.
final class ChannelCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "central")
    let events = Locked<[String]>([])
    let channels = Locked<[CBL2CAPChannel]>([])
    let isConnected = Locked(false)
    private let opened = Locked<((CBL2CAPChannel) -> Void)?>(nil)
    private(set) var manager: CBCentralManager!
    private(set) var peripheral: CBPeripheral?

    init(_ device: VirtualDevice) {
        super.init()
        manager = device.run { CBCentralManager(delegate: self, queue: queue) }
    }

    func onOpen(_ body: @escaping (CBL2CAPChannel) -> Void) { opened { $0 = body } }

    func note(_ event: String) { events { $0.append(event) } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [ChannelPeripheral.service]) }
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { isConnected { $0 = true } }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        isConnected { $0 = false }
        note("disconnected")
    }
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        if let error { note("failed \(channel == nil) \((error as NSError).domain) \((error as NSError).code)") }
        guard let channel else { return }
        channels { $0.append(channel) }
        note("opened \(channel.peer === peripheral) \(channel.psm)")
        opened.value?(channel)
    }
}

/// Uses a channel's streams as a delegate: sends what it is given, keeps or echoes what comes.
final class StreamUser: NSObject, StreamDelegate, @unchecked Sendable {
    struct State {
        var received = Data()
        var toSend = Data()
        var events: [String] = []
        var isReading = true
        var isEcho = false
    }

    let state = Locked(State())
    private let channel: Locked<CBL2CAPChannel?>
    let input: InputStream
    let output: OutputStream

    init(_ channel: CBL2CAPChannel, isEcho: Bool = false) {
        self.channel = Locked(channel)
        input = channel.inputStream
        output = channel.outputStream
        super.init()
        state { $0.isEcho = isEcho }
        input.delegate = self
        output.delegate = self
    }

    /// Has the events on a queue.
    convenience init(_ channel: CBL2CAPChannel, on queue: DispatchQueue, isEcho: Bool = false) {
        self.init(channel, isEcho: isEcho)
        CFReadStreamSetDispatchQueue(input, queue)
        CFWriteStreamSetDispatchQueue(output, queue)
        open()
    }

    func open() {
        input.open()
        output.open()
    }

    func close() {
        input.close()
        output.close()
    }

    func releaseChannel() { channel { $0 = nil } }

    var received: Data { state.value.received }
    var events: [String] { state.value.events }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        let name = aStream === input ? "in" : "out"
        switch eventCode {
        case .openCompleted: note("\(name) open")
        case .hasBytesAvailable: read()
        case .hasSpaceAvailable: write()
        case .endEncountered: note("\(name) end")
        case .errorOccurred: note("\(name) error \((aStream.streamError as? CBError)?.errorCode ?? -1)")
        default: note("\(name) \(eventCode)")
        }
    }

    private func note(_ event: String) { state { $0.events.append(event) } }

    /// An echo reads no more than it can send.
    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1_000)
        while state({ $0.isReading && !($0.isEcho && $0.toSend.count > 4_096) }), input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            state { state in
                if state.isEcho {
                    state.toSend.append(contentsOf: buffer[..<count])
                } else {
                    state.received.append(contentsOf: buffer[..<count])
                }
            }
            write()
        }
    }

    private func write() {
        while output.hasSpaceAvailable {
            let chunk = state { Array($0.toSend.prefix(3_000)) }
            guard !chunk.isEmpty else { break }
            let count = output.write(chunk, maxLength: chunk.count)
            guard count > 0 else { return note("write \(count)") }
            state { $0.toSend = Data($0.toSend.dropFirst(count)) }
        }
        if state.value.isEcho, input.hasBytesAvailable, state.value.toSend.count <= 4_096 { read() }
    }

    /// Sends octets, from wherever the caller is.
    func send(_ data: Data) {
        state { $0.toSend.append(data) }
        write()
    }

    /// Reads on after having stopped.
    func resume() {
        state { $0.isReading = true }
        read()
    }
}

/// A phone and a device with an open link.
struct ChannelWorld {
    let world: World
    let phone: VirtualDevice
    let device: VirtualDevice
    let central: ChannelCentral
    let peripheral: ChannelPeripheral

    init(seed: UInt64 = 1, pace: Pace = .unlimited) async throws {
        world = World(seed: seed, pace: pace)
        phone = world.addDevice("phone")
        device = world.addDevice("device", at: Position(x: 1))
        peripheral = ChannelPeripheral(device)
        central = ChannelCentral(phone)
        let (central, peripheral) = (self.central, self.peripheral)
        try await wait("the link") { central.isConnected.value && !peripheral.psms.value.isEmpty }
    }

    struct TimeoutError: Error { var what: String }

    func wait(
        _ what: String, timeout: Duration = .seconds(120), _ condition: @escaping @Sendable () -> Bool
    ) async throws {
        guard await world.run(timeout: timeout, until: condition) else { throw TimeoutError(what: what) }
    }

    var psm: CBL2CAPPSM { peripheral.psms.value[0] }

    /// Opens a channel; gives both ends.
    func open() async throws -> (central: CBL2CAPChannel, peripheral: CBL2CAPChannel) {
        let (central, peripheral) = (self.central, self.peripheral)
        let count = central.channels.value.count
        central.peripheral?.openL2CAPChannel(psm)
        try await wait("the channel") {
            central.channels.value.count > count && peripheral.channels.value.count > count
        }
        return (central.channels { $0.removeLast() }, peripheral.channels { $0.removeLast() })
    }

    /// Opens a channel whose ends are used on queues.
    func openUsers(isEcho: Bool = false) async throws -> (central: StreamUser, peripheral: StreamUser) {
        let (near, far) = try await open()
        return (StreamUser(near, on: central.queue), StreamUser(far, on: peripheral.queue, isEcho: isEcho))
    }
}

extension Data {
    /// Octets that differ from each other.
    static func pattern(_ count: Int, seed: Int = 0) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 &+ ($0 &+ seed) >> 8) })
    }
}
