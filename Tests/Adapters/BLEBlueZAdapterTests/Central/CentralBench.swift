import BLEAdapter
import BLEStore
import BLETransport
import BLEWire
import BlueZBench
import BusBench
import Synchronization
import SystemBus
import TestDoubles

@testable import BLEBlueZAdapter

/// An adapter over a double of bluetoothd, and the events of one or more sessions as lines.
final class CentralBench: @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    static let address = "C0:00:00:00:00:01"
    static let headset = "00:11:22:33:44:55"
    static let hci0 = "/org/bluez/hci0"

    let scheduler = ManualScheduler()
    let broker: MemoryBroker
    let bluez: ScriptedBlueZ
    let store = DeviceStore(key: StoreKey(high: 0, low: 1))
    let channels = FakeChannels()
    let failures = Lock<[BlueZError?]>([])
    var block: AdapterWatch.Block?
    /// The device whose links the kernel tells; nil if it tells none.
    var deviceOfKernel: String?
    var switchesChanged: (() -> Void)?
    private(set) var adapter: BlueZAdapter?
    private(set) var recorder = Recorder()
    private(set) var session: (any CentralSession)?

    /// - Parameters:
    ///   - name: The adapter that the program names.
    ///   - version: Of bluetoothd.
    ///   - identification: Instead of `store`.
    init(
        adapter name: String? = nil, version: Int = 87, isStarted: Bool = true,
        identification: (any PeerIdentification)? = nil
    ) {
        broker = MemoryBroker(scheduler)
        bluez = ScriptedBlueZ(broker, version: version)
        if isStarted {
            bluez.addAdapter()
            bluez.start()
            scheduler.run()
        }
        let surroundings = BlueZAdapter.Surroundings(
            makeBus: { [broker] in broker.connect() },
            makeSocket: { [scheduler] in PolledSocket($0, scheduler) }, channels: channels,
            blocks: { [weak self] _ in self?.block }, links: { [weak self] _ in self?.links },
            watchSwitches: { [weak self] changed in
                self?.switchesChanged = changed
                return nil
            })
        adapter = BlueZAdapter(
            adapter: name, identification: identification ?? store, scheduler: scheduler, surroundings: surroundings
        ) { [weak self] failure in self?.failures.withLock { $0.append(failure) } }
        session = adapter?.openCentral(observer: recorder)
        readSockets()
    }

    private var links: RadioLinks? {
        guard let deviceOfKernel, let address = BlueZDevice.address(Self.headset, "public")?.value else { return nil }
        var links = RadioLinks()
        if bluez.isConnected(deviceOfKernel) { links.lowEnergy.insert(address) }
        if bluez.hasClassicLink(deviceOfKernel) { links.classic.insert(address) }
        return links
    }

    /// Lets bluetoothd look at its sockets as often as a main loop does.
    private func readSockets() {
        bluez.readSockets()
        scheduler.submit(after: .milliseconds(5)) { [weak self] in self?.readSockets() }
    }

    /// A bench whose adapter is powered on.
    static func on(version: Int = 87) -> CentralBench {
        let bench = CentralBench(version: version)
        bench.run()
        _ = bench.lines()
        return bench
    }

    func run(_ span: TimeSpan = .milliseconds(100)) { scheduler.run(for: span) }

    /// Ends the program's use of the adapter.
    func release() {
        session = nil
        adapter = nil
    }

    /// Another session, with an observer of its own.
    func open() -> (session: (any CentralSession)?, recorder: Recorder) {
        let recorder = Recorder()
        let session = adapter?.openCentral(observer: recorder)
        run()
        _ = recorder.take()
        return (session, recorder)
    }

    /// The events since the last call.
    func lines() -> [String] { recorder.take() }

    var peer: PeerIdentifier { peer(Self.address) }

    var headset: PeerIdentifier {
        store.identifier(for: DeviceAddress(kind: .public, value: 0x0011_2233_4455))
    }

    func peer(_ address: String) -> PeerIdentifier {
        let value = address.split(separator: ":").reduce(UInt64(0)) { $0 << 8 | (UInt64($1, radix: 16) ?? 0) }
        return store.identifier(for: DeviceAddress(kind: .random, value: value))
    }

    // MARK: A device with a heart rate service

    static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"
    static let control = "00002a39-0000-1000-8000-00805f9b34fb"
    static let location = "00002a38-0000-1000-8000-00805f9b34fb"

    static func device(_ address: String = address, name: String? = "strap") -> ScriptedDevice {
        var device = ScriptedDevice(address, name: name)
        device.uuids = ["0000180d-0000-1000-8000-00805f9b34fb"]
        device.services = [
            ScriptedService("00001800-0000-1000-8000-00805f9b34fb"),
            ScriptedService(
                "0000180d-0000-1000-8000-00805f9b34fb",
                [
                    ScriptedCharacteristic(measurement, ["read", "notify"], [0, 60]),
                    ScriptedCharacteristic(control, ["write", "write-without-response"]),
                    ScriptedCharacteristic(
                        location, ["read", "indicate"], [1],
                        descriptors: [ScriptedDescriptor("00002901-0000-1000-8000-00805f9b34fb", [0x41])]),
                ]),
        ]
        return device
    }

    /// Adds a device with both bearers, which plays music: it has a link of BR/EDR. Returns its path.
    func addHeadset(advertises: Bool = true) -> String {
        var headset = Self.device(Self.headset, name: "headset")
        headset.addressType = "public"
        headset.properties = ["Class": .uint32(0x240404)]
        if advertises { headset.properties["AdvertisingFlags"] = .octets([0x02]) }
        let path = bluez.addDevice(headset)
        bluez.setClassicLink(path, true)
        return path
    }

    /// Adds the device and connects it. Returns its path.
    func connected(_ device: ScriptedDevice = device()) -> String {
        let path = bluez.addDevice(device)
        run()
        session?.connect(peer(device.address), options: ConnectionOptions())
        run(.seconds(1))
        _ = lines()
        return path
    }

    /// The path of a characteristic.
    func path(_ device: String, _ uuid: String) -> String { bluez.characteristic(device, uuid) ?? "" }

    /// The handle of a characteristic's value.
    func handle(_ device: String, _ uuid: String) -> UInt16 {
        RemoteAttributes.handle(path(device, uuid), "char").map { $0 + 1 } ?? 0
    }

    /// Runs an operation and returns the events.
    func perform(_ operation: GATTOperation, for span: TimeSpan = .seconds(1)) -> [String] {
        session?.submit(operation, to: peer)
        run(span)
        return lines()
    }
}

/// Identifiers whose addresses it may forget.
final class ForgetfulIdentification: PeerIdentification {
    let isForgetful = Lock(false)
    private let store = DeviceStore(key: StoreKey(high: 0, low: 1))

    func identifier(for address: DeviceAddress) -> PeerIdentifier { store.identifier(for: address) }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        isForgetful.withLock { $0 } ? nil : store.address(of: identifier)
    }
}

/// The events of a session as lines.
final class Recorder: CentralObserver {
    private let lines = Lock<[String]>([])
    let discoveries = Lock<[Discovery]>([])

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private func add(_ line: String) { lines.withLock { $0.append(line) } }

    func adapterStateChanged(_ state: AdapterState) { add("\(state)") }
    func discovered(_ discovery: Discovery) {
        discoveries.withLock { $0.append(discovery) }
        add("discovered \(discovery.peer.name ?? "-") \(discovery.rssi)")
    }
    func connected(_ peer: PeerRecord) { add("connected \(peer.name ?? "-")") }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) { add("failed \(failure)") }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        add("disconnected \(end)\(isReconnecting ? ", reconnecting" : "")")
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        switch result {
        case .success(.value(let value)): add("value \(value)")
        case .success(.values(let values)): add("values \(values)")
        case .success(.services(let found)): add("services \(found.map { "\($0.uuid) \($0.range.start)" })")
        case .success(.characteristics(let found)):
            add("characteristics \(found.map { "\($0.uuid) \($0.properties)" })")
        case .success(.descriptors(let found)): add("descriptors \(found.map(\.uuid.description))")
        case .success(.done): add("done")
        case .success(.rssi(let rssi)): add("rssi \(rssi)")
        case .failure(let error): add("error \(error)")
        }
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        add("notified \([UInt8](value))")
    }
    func readyForWriteCommands(to peer: PeerIdentifier) { add("ready") }
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {
        add("services changed \(range.start)...\(range.end)")
    }
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        add("channel \(psm) \(result.map { _ in "" })")
    }
    func nameChanged(_ name: String?, of peer: PeerIdentifier) { add("name \(name ?? "-")") }
}

/// Counts sockets.
final class OpenSockets {
    var count = 0
}

/// A socket that is looked at once in each interval of virtual time, and takes so many values in between.
final class PolledSocket: ValueSocket, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    var onValue: ((Span<UInt8>) -> Void)?
    var onEnd: (() -> Void)?
    var onRoom: (() -> Void)?
    private var socket: PacketSocket?
    private let scheduler: any SerialScheduler
    private let interval: TimeSpan
    private let burst: Int
    private let open: OpenSockets?
    private var isFull = false
    private var sent = 0

    init(
        _ descriptor: Descriptor, _ scheduler: any SerialScheduler, each interval: TimeSpan = .milliseconds(1),
        burst: Int = .max, counted open: OpenSockets? = nil
    ) {
        socket = PacketSocket(descriptor)
        (self.scheduler, self.interval, self.burst, self.open) = (scheduler, interval, burst, open)
        open?.count += 1
    }

    deinit { close() }

    func start() { poll() }

    private func poll() {
        guard let socket else { return }
        var buffer = [UInt8](repeating: 0, count: ATT.maximumValueLength)
        reading: while self.socket != nil {
            switch socket.receive(into: &buffer) {
            case .value(let count): onValue?(buffer.span.extracting(first: count))
            case .nothing: break reading
            case .end:
                let end = onEnd
                close()
                return end?() ?? ()
            }
        }
        sent = 0
        if isFull {
            isFull = false
            onRoom?()
        }
        scheduler.submit(after: interval) { [weak self] in self?.poll() }
    }

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        let result = sent >= burst ? .full : socket?.send(value) ?? .ended
        sent += 1
        isFull = result == .full
        return result
    }

    var isDrained: Bool { socket?.unreadCount ?? 0 == 0 }

    func close() {
        if socket != nil { open?.count -= 1 }
        socket = nil
        (onValue, onEnd, onRoom) = (nil, nil, nil)
    }
}
