import BLEAdapter
import BLESecurity
import BLETransport
import BLEWire
import Glibc
import SystemBus

@testable import BLEBlueZAdapter

/// The adapter over bluetoothd, with a bluetoothd that sends anything: objects, properties, answers in any order, calls of the program's objects,
/// its own end; with calls of the program and time between them.
enum BlueZTarget {
    static func run(_ input: inout Input) {
        // Descriptors get the lowest free number.
        let before = dup(0)
        close(before)
        do {
            let run = BlueZRun(prepared: input.octet())
            run.run(&input)
            run.end()
        }
        let after = dup(0)
        close(after)
        require(before == after, "a descriptor stays open")
    }
}

/// Identifiers that are addresses.
private struct PlainIdentification: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue), low: address.value)
    }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        DeviceAddress(kind: identifier.high == 0 ? .public : .random, value: identifier.low)
    }
}

/// Counts requests and answers.
private final class BlueZProgram: CentralObserver, PeripheralObserver, PairingObserver, @unchecked Sendable {
    // `@unchecked Sendable`: used on one thread.

    var operations = 0
    var connects = 0
    var adding = 0
    var starting = 0
    var publishing = 0
    var opening = 0
    var state = AdapterState.unknown
    var requests: [RequestIdentifier] = []
    var questions: [PairingQuestionNumber] = []
    var handles: [ChannelHandle] = []
    var centrals: [PeerIdentifier] = []

    func adapterStateChanged(_ state: AdapterState) {
        self.state = state
        (operations, connects) = state == .poweredOn ? (operations, connects) : (0, 0)
    }
    func discovered(_ discovery: Discovery) {}
    func connected(_ peer: PeerRecord) { ended(&connects, "a connection") }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) { ended(&connects, "a connection") }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        if isReconnecting { connects += 1 }
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        ended(&operations, "an operation")
        if case .success(.value(let value)) = result { require(value.count <= 512, "a value of \(value.count) octets") }
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        require(value.count <= 512, "a value of \(value.count) octets")
    }
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        ended(&opening, "a channel")
        if case .success(let handle) = result { keep(handle) }
    }

    func serviceAdded(token: Int, _ failure: PublishingError?) { ended(&adding, "a service") }
    func advertisingStarted(_ failure: AdvertisingError?) { ended(&starting, "an advertisement") }
    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference) {
        if centrals.count < 8 { centrals.append(central.identifier) }
    }
    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference) {}
    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord
    ) { requests.append(request) }
    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        for item in items { require(item.offset + item.value.count <= 512, "a write beyond the longest value") }
        if needsResponse { requests.append(request) }
    }
    func readyToUpdate() {}
    func maximumUpdateLengthChanged(_ central: CentralRecord) {}
    func channelPublished(_ result: Result<UInt16, ChannelError>) { ended(&publishing, "a published channel") }
    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) { keep(channel) }

    func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {
        require(!questions.contains(number), "a question twice")
        questions.append(number)
    }
    func dismissed(_ number: PairingQuestionNumber) {
        require(questions.contains(number), "the end of no question")
    }

    private func keep(_ handle: ChannelHandle) {
        if handles.count < 8 { handles.append(handle) } else { handle.close() }
    }

    private func ended(_ count: inout Int, _ what: String) {
        require(count > 0, "\(what) ends twice")
        count -= 1
    }
}

private final class BlueZRun: @unchecked Sendable {
    // `@unchecked Sendable`: used on one thread.

    private static let hci0 = "/org/bluez/hci0"
    private static let device = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
    private static let paths = [
        hci0, device, device + "/service0001", device + "/service0001/char0002",
        device + "/service0001/char0002/desc0004", device + "/service0001/char0005", "/org/bluez",
        "/org/bluez/hci0/dev_C0_00_00_00_00_02", "/org/bluez/hci1", "/org/bluez/hci99999", device + "/service0000",
        device + "/service0001/charFFFF", device + "/service0001/char00g1", device + "/serviceFFFF", "/",
        device + "/service0007/char0008",
    ]
    private static let interfaces = [
        BlueZ.adapter, BlueZ.device, BlueZ.gattService, BlueZ.characteristic, BlueZ.descriptor, BlueZ.gattManager,
        BlueZ.advertisingManager, BlueZ.agentManager, BlueZ.bearerLE, BlueZ.bearerClassic, "org.bluez.Battery1", "",
    ]
    private static let names = [
        "Powered", "Address", "AddressType", "Connected", "ServicesResolved", "Name", "RSSI", "UUIDs", "Paired",
        "Bonded",
        "ManufacturerData", "ServiceData", "AdvertisingData", "AdvertisingFlags", "TxPower", "MTU", "Flags", "UUID",
        "Service", "Primary", "Includes", "Value", "NotifyAcquired", "WriteAcquired", "Discovering", "PowerState",
        "PreferredBearer", "Class", "Manufacturer", "CablePairing", "Notifying", "Characteristic",
    ]
    private static let errors = [
        BlueZ.Failure.failed, BlueZ.Failure.inProgress, BlueZ.Failure.notPermitted, BlueZ.Failure.notSupported,
        BlueZ.Failure.alreadyConnected, BlueZ.Failure.alreadyExists, BlueZ.Failure.doesNotExist,
        BlueZ.Failure.invalidLength, BusCallError.Name.unknownObject, BusCallError.Name.unknownMethod,
        BusCallError.Name.accessDenied, BlueZ.Failure.authenticationCanceled, "", "x",
    ]
    private static let spans: [TimeSpan] = [
        .milliseconds(1), .milliseconds(20), .milliseconds(200), .seconds(1), .seconds(5), .seconds(30), .seconds(70),
        .seconds(200),
    ]

    private let clock = BlueZClock()
    private let kernel = BlueZKernel()
    private let program = BlueZProgram()
    private var adapter: BlueZAdapter?
    private weak var weakAdapter: BlueZAdapter?
    private var bus: BlueZBus?
    private struct Weak { weak var socket: BlueZSocket? }

    /// Releasing a socket closes it.
    private var opened: [Weak] = []
    private var sockets: [BlueZSocket] { opened.compactMap(\.socket).filter { !$0.isClosed } }
    private var central: (any CentralSession)?
    private var peripheral: (any PeripheralSession)?
    private var pairing: (any PairingSession)?
    private var switchChanged: (() -> Void)?
    private var block: AdapterWatch.Block?
    private var steps = 0
    private var token = 0

    private var peer: PeerIdentifier {
        PeerIdentifier(high: UInt64(DeviceAddress.Kind.random.rawValue), low: 0xC000_0000_0001)
    }

    /// - Parameter prepared: What exists already.
    init(prepared: UInt8) {
        adapter = BlueZAdapter(
            adapter: prepared & 0x80 == 0 ? nil : "hci0", identification: PlainIdentification(), scheduler: clock,
            surroundings: BlueZAdapter.Surroundings(
                makeBus: { [unowned self] in
                    let new = BlueZBus(clock)
                    bus = new
                    return new
                }, makeSocket: { [unowned self] in socket($0) }, channels: kernel,
                blocks: { [unowned self] _ in block },
                watchSwitches: { [unowned self] in
                    switchChanged = $0
                    return nil
                })
        ) { _ in }
        weakAdapter = adapter
        central = adapter?.openCentral(observer: program)
        peripheral = adapter?.openPeripheral(observer: program)
        pairing = adapter?.openPairing(observer: program)
        clock.run(for: .milliseconds(20))
        prepare(prepared)
    }

    private func socket(_ descriptor: Descriptor) -> BlueZSocket {
        opened.removeAll { $0.socket?.isClosed != false }
        let socket = BlueZSocket(descriptor)
        opened.append(Weak(socket: socket))
        return socket
    }

    /// Brings the adapter as far as a well-behaved bluetoothd does.
    private func prepare(_ choice: UInt8) {
        guard choice & 1 == 0 else { return }
        answer("GetManagedObjects", [Self.objects(isConnected: choice & 2 == 0)])
        require(program.state == .poweredOn, "the adapter is not on")
        if choice & 2 == 0 {
            program.connects += 1
            central?.connect(peer, options: ConnectionOptions(reconnectsAutomatically: choice & 8 != 0))
            clock.run(for: .milliseconds(20))
            answer("Connect", [])
        }
        guard choice & 4 == 0 else { return }
        addService(0)
        answer("RegisterApplication", [])
        startAdvertising(0)
        answer("RegisterAdvertisement", [])
        pairing?.setAgent(PairingAgentCapability(ioCapability: .keyboardDisplay))
        clock.run()
        answer("RegisterAgent", [])
    }

    private static func objects(isConnected: Bool) -> BusValue {
        let uuid = BusValue.string("00002a37-0000-1000-8000-00805f9b34fb")
        let flags = BusValue.array(
            "s", ["read", "write", "write-without-response", "notify"].map { .string($0) })
        let all: [(String, String, BusProperties)] = [
            (
                hci0, BlueZ.adapter,
                [
                    "Powered": .bool(true), "Address": .string("00:11:22:33:44:55"), "Discovering": .bool(false),
                    "Manufacturer": .uint16(2),
                ]
            ),
            (
                device, BlueZ.device,
                [
                    "Address": .string("C0:00:00:00:00:01"), "AddressType": .string("random"), "RSSI": .int16(-60),
                    "Connected": .bool(isConnected), "ServicesResolved": .bool(isConnected), "Name": .string("strap"),
                    "CablePairing": .bool(false), "UUIDs": .array("s", [uuid]),
                ]
            ),
            (device + "/service0001", BlueZ.gattService, ["UUID": uuid, "Primary": .bool(true)]),
            (
                device + "/service0001/char0002", BlueZ.characteristic,
                ["UUID": uuid, "Flags": flags, "MTU": .uint16(100)]
            ),
            (device + "/service0001/char0002/desc0004", BlueZ.descriptor, ["UUID": uuid]),
            (device + "/service0001/char0005", BlueZ.characteristic, ["UUID": uuid, "Flags": flags]),
        ]
        return .array(
            "{oa{sa{sv}}}",
            all.map { path, interface, properties in
                .entry(.path(path), .dictionary([interface: .properties(properties)], of: "a{sv}"))
            })
    }

    /// Answers the first call of a method.
    private func answer(_ member: String, _ values: [BusValue]) {
        guard let bus, let number = bus.calls.filter({ $0.value.message.member == member }).keys.min() else { return }
        var reply = BusMessage(.reply)
        reply.body = values
        bus.answer(number, .success(reply))
        clock.run(for: .milliseconds(20))
    }

    // MARK: Steps

    func run(_ input: inout Input) {
        while !input.isAtEnd, steps < 250 {
            steps += 1
            step(&input)
            clock.run()
            check()
        }
    }

    private func step(_ input: inout Input) {
        let what = input.octet()
        switch what % 16 {
        case 0: clock.run(for: Self.spans[Int(what >> 4) % 8])
        case 1: serviceChanges(what)
        case 2, 3: answer(what, &input)
        case 4: added(&input)
        case 5: removed(&input)
        case 6, 7: changed(&input)
        case 8: otherSignal(what, &input)
        case 9, 10: callObject(what, &input)
        case 11: useCentral(what, &input)
        case 12: operate(what, &input)
        case 13: usePeripheral(what, &input)
        case 14: usePairing(what, &input)
        default: useSockets(what, &input)
        }
    }

    private func serviceChanges(_ what: UInt8) {
        switch what >> 4 {
        case 0...2: bus?.setOwner(nil)
        case 3...5: bus?.setOwner(BlueZBus.service)
        case 6: bus?.setOwner(":1.9")
        case 7: bus?.breakDown()
        case 8: bus?.isBusy = true
        case 9, 10: bus?.drain()
        default:
            block = what & 0x80 == 0 ? nil : what & 0x40 == 0 ? .soft : .hard
            switchChanged?()
        }
    }

    private func answer(_ what: UInt8, _ input: inout Input) {
        guard let bus, !bus.calls.isEmpty else { return }
        let numbers = bus.calls.keys.sorted()
        let number = numbers[what & 0x80 == 0 ? numbers.count - 1 : input.below(numbers.count)]
        guard let member = bus.calls[number]?.message.member else { return }
        var reply = BusMessage(.reply)
        switch (what >> 4) & 7 {
        case 0...2: reply.body = plausible(member)
        case 3, 4: reply.body = values(&input)
        default:
            let error = BusCallError.error(
                input.one(of: Self.errors), input.octet() & 1 == 0 ? "Notify acquired" : "0x85")
            return bus.answer(number, .failure(error))
        }
        if what & 0x80 == 0, member.hasPrefix("Acquire") {
            reply.descriptors = [Descriptor(dup(0), kind: .file)]
        }
        bus.answer(number, .success(reply))
    }

    private func plausible(_ member: String) -> [BusValue] {
        switch member {
        case "GetManagedObjects": [Self.objects(isConnected: true)]
        case "ReadValue": [.octets([1, 2, 3])]
        case "AcquireNotify", "AcquireWrite": [.descriptor(0), .uint16(100)]
        case "Get": [.variant(.bool(true))]
        default: []
        }
    }

    // MARK: Signals

    private func added(_ input: inout Input) {
        let count = input.octet()
        var interfaces: [BusValue] = []
        let path = input.one(of: Self.paths)
        for _ in 0...Int(count & 3) {
            let values = properties(&input)
            interfaces.append(.entry(.string(input.one(of: Self.interfaces)), values))
        }
        // A flood of devices.
        for number in 0..<(count > 250 ? 200 : 1) {
            let path = count > 250 ? "\(Self.hci0)/dev_\(number)" : path
            bus?.emit(
                signal: .signal(
                    "/", BlueZ.objectManager, "InterfacesAdded", [.path(path), .array("{sa{sv}}", interfaces)]))
        }
    }

    private func removed(_ input: inout Input) {
        let path = input.one(of: Self.paths)
        let names = (0...Int(input.octet() & 3)).map { _ in BusValue.string(input.one(of: Self.interfaces)) }
        bus?.emit(signal: .signal("/", BlueZ.objectManager, "InterfacesRemoved", [.path(path), .array("s", names)]))
    }

    private func changed(_ input: inout Input) {
        let path = input.one(of: Self.paths)
        let interface = BusValue.string(input.one(of: Self.interfaces))
        let values = properties(&input)
        let invalidated = (0..<Int(input.octet() & 3)).map { _ in BusValue.string(input.one(of: Self.names)) }
        bus?.emit(
            signal: .signal(path, BlueZ.properties, "PropertiesChanged", [interface, values, .array("s", invalidated)]))
    }

    private func otherSignal(_ what: UInt8, _ input: inout Input) {
        let path = input.one(of: Self.paths)
        if what & 0x80 == 0 {
            let reasons = ["Timeout", "Local", "Remote", "Authentication", "x"].map { "org.bluez.Reason.\($0)" }
            bus?.emit(
                signal: .signal(path, BlueZ.device, "Disconnected", [.string(input.one(of: reasons)), .string("")]))
        } else {
            let member = input.one(of: ["InterfacesAdded", "InterfacesRemoved", "PropertiesChanged", "Disconnected"])
            let interface = input.one(of: [BlueZ.objectManager, BlueZ.properties, BlueZ.device])
            bus?.emit(signal: .signal(path, interface, member, values(&input)))
        }
    }

    // MARK: Values

    private func properties(_ input: inout Input) -> BusValue {
        let entries = (0..<Int(input.octet() & 7)).map { _ in
            let name = input.one(of: Self.names)
            return BusValue.entry(.string(name), .variant(value(of: name, &input)))
        }
        return .array("{sv}", entries)
    }

    /// Mostly a value of the property's type.
    private func value(of name: String, _ input: inout Input) -> BusValue {
        let choice = input.octet()
        guard choice & 3 != 3 else { return value(&input, 3) }
        switch name {
        case "Powered", "Connected", "ServicesResolved", "Paired", "Bonded", "Primary", "NotifyAcquired",
            "WriteAcquired",
            "Discovering", "CablePairing", "Notifying":
            return .bool(choice & 4 == 0)
        case "Address":
            return .string(input.one(of: ["C0:00:00:00:00:01", "C0:00:00:00:00:02", "", "C0:00", "C0:00:00:00:00:0g"]))
        case "AddressType": return .string(input.one(of: ["random", "public", ""]))
        case "RSSI", "TxPower": return .int16(Int16(bitPattern: input.number16()))
        case "UUIDs", "Flags", "Includes":
            let texts = ["notify", "indicate", "read", "write", "00002a37-0000-1000-8000-00805f9b34fb", "180d", "x"]
            return .array("s", (0..<Int(choice >> 2)).map { _ in .string(input.one(of: texts)) })
        case "UUID": return .string(input.one(of: ["00002a37-0000-1000-8000-00805f9b34fb", "180d", "x"]))
        case "MTU", "Manufacturer": return .uint16(input.number16())
        case "Value", "AdvertisingFlags": return .octets(input.block())
        case "ManufacturerData":
            return .array("{qv}", [.entry(.uint16(input.number16()), .variant(.octets(input.block())))])
        case "ServiceData":
            return .array("{sv}", [.entry(.string(input.one(of: ["180d", "x"])), .variant(.octets(input.block())))])
        case "AdvertisingData":
            return .array("{yv}", [.entry(.byte(input.octet()), .variant(.octets(input.block())))])
        default: return .string(text(&input))
        }
    }

    private func text(_ input: inout Input) -> String {
        input.octet() > 240 ? String(repeating: "é", count: 20_000) : String(decoding: input.take(6), as: UTF8.self)
    }

    private func values(_ input: inout Input) -> [BusValue] {
        (0..<Int(input.octet() & 3)).map { _ in value(&input, 3) }
    }

    private func value(_ input: inout Input, _ depth: Int) -> BusValue {
        let choice = input.octet()
        switch choice % 16 {
        case 0: return .bool(choice & 16 == 0)
        case 1: return .byte(input.octet())
        case 2: return .uint16(input.number16())
        case 3: return .uint32(UInt32(input.number16()) << 16 | UInt32(input.octet()))
        case 4: return .uint64(UInt64.max - UInt64(input.octet()))
        case 5: return .int64(Int64.min + Int64(input.octet()))
        case 6: return .string(text(&input))
        case 7: return .path(input.one(of: Self.paths))
        case 8: return .descriptor(UInt32(input.octet()))
        case 9: return .octets(input.block())
        case 10: return .array("s", (0..<Int(choice >> 4)).map { _ in .string(text(&input)) })
        case 11 where depth > 0: return properties(&input)
        case 12 where depth > 0: return .variant(value(&input, depth - 1))
        case 13 where depth > 0: return .structure([value(&input, depth - 1)])
        case 14: return .double(UInt64(input.octet()) << 52)
        default: return .int32(-1)
        }
    }

    // MARK: Calls of the program's objects

    private func callObject(_ what: UInt8, _ input: inout Input) {
        guard let bus, !bus.exports.isEmpty else { return }
        let path = bus.exports.keys.sorted()[input.below(bus.exports.count)]
        guard let export = bus.exports[path] else { return }
        let interface = export.interfaces.keys.sorted()[input.below(export.interfaces.count)]
        guard let members = export.interfaces[interface]?.sorted(), !members.isEmpty else { return }
        let member = input.one(of: members)
        var call = BusMessage.call(":1.2", path, interface, member, arguments(member, &input))
        call.sender = what & 0xE0 == 0xE0 ? ":1.5" : bus.owner
        call.isReplyExpected = what & 16 == 0
        bus.call(call)
    }

    private func arguments(_ member: String, _ input: inout Input) -> [BusValue] {
        let choice = input.octet()
        guard choice & 3 != 3 else { return values(&input) }
        let device = BusValue.path(choice & 4 == 0 ? Self.device : input.one(of: Self.paths))
        let options = BusValue.properties([
            "device": device, "mtu": .uint16(input.number16()), "link": .string("LE"),
            "offset": .uint16(choice & 8 == 0 ? 0 : input.number16()), "prepare-authorize": .bool(choice & 16 != 0),
        ])
        switch member {
        case "ReadValue", "AcquireNotify": return [options]
        case "WriteValue": return [.octets(choice > 250 ? [UInt8](repeating: 1, count: 600) : input.block()), options]
        case "Get", "GetAll", "Set":
            return [.string(input.one(of: Self.interfaces)), .string(input.one(of: Self.names)), .variant(.bool(true))]
        case "RequestConfirmation", "DisplayPasskey": return [device, .uint32(UInt32(input.number16())), .uint16(0)]
        default: return [device, .string(text(&input))]
        }
    }

    // MARK: The program

    private func useCentral(_ what: UInt8, _ input: inout Input) {
        switch (what >> 4) % 8 {
        case 0: central?.startScan(ScanRequest(allowDuplicates: what & 0x80 != 0))
        case 1: central?.stopScan()
        case 2, 3, 4:
            program.connects += 1
            central?.connect(other(&input), options: ConnectionOptions(reconnectsAutomatically: what & 0x80 != 0))
        case 5: central?.cancelConnection(other(&input))
        case 6:
            program.opening += 1
            central?.openChannel(psm: UInt16(input.octet()), to: peer)
        default:
            central = adapter?.openCentral(observer: program)
        }
    }

    private func other(_ input: inout Input) -> PeerIdentifier {
        var peer = peer
        peer = PeerIdentifier(high: peer.high, low: peer.low + UInt64(input.octet() & 1))
        return peer
    }

    private func operate(_ what: UInt8, _ input: inout Input) {
        let handle = input.one(of: [3, 4, 6, 2, 9, 0xFFFF, 0] as [UInt16])
        switch (what >> 4) % 8 {
        case 0: submit(.discoverServices(nil))
        case 1: submit(.read(handle: handle))
        case 2: submit(.write(handle: handle, value: input.block()))
        case 3: submit(.setNotify(valueHandle: handle, end: .max, mode: .notification))
        case 4: submit(.setNotify(valueHandle: handle, end: .max, mode: .off))
        case 5: submit(.discoverCharacteristics(service: HandleRange(start: 1, end: .max), nil))
        case 6: submit(.readRSSI)
        default:
            let value = input.block()
            _ = central?.writeCommand(value.span, handle: handle, to: peer)
        }
    }

    private func submit(_ operation: GATTOperation) {
        program.operations += 1
        central?.submit(operation, to: peer)
    }

    private func addService(_ choice: UInt8) {
        token += 1
        program.adding += 1
        let value: [UInt8]? = choice & 2 == 0 ? nil : [1, 2]
        peripheral?.add(
            ServiceDefinition(
                uuid: BluetoothUUID(0x1234 as UInt16), isPrimary: true,
                includedServices: choice & 1 == 0 ? [] : [token - 1],
                characteristics: [
                    CharacteristicDefinition(
                        uuid: BluetoothUUID(0x2A01 as UInt16), properties: value == nil ? 0x3E : 0x02,
                        permissions: value == nil ? 3 : 1, value: value,
                        descriptors: [DescriptorDefinition(uuid: BluetoothUUID(0x2901 as UInt16), value: [1])])
                ]), token: token)
    }

    private func startAdvertising(_ choice: UInt8) {
        program.starting += 1
        peripheral?.startAdvertising(
            Advertisement(
                localName: choice & 1 == 0 ? "Lamp" : String(repeating: "L", count: 60),
                services: [BluetoothUUID(0x1234 as UInt16)]))
        clock.run()
    }

    private func usePeripheral(_ what: UInt8, _ input: inout Input) {
        switch what >> 4 {
        case 0, 1: addService(what >> 4)
        case 2: peripheral?.remove(token: Int(input.octet() & 3))
        case 3: peripheral?.removeAll()
        case 4, 5: startAdvertising(what >> 4)
        case 6: peripheral?.stopAdvertising()
        case 7:
            if let request = program.requests.popLast() {
                peripheral?.respond(to: request, error: input.octet() & 0x1F, value: input.block())
            }
        case 8:
            program.publishing += 1
            peripheral?.publishChannel(requiresEncryption: false)
        case 9: peripheral?.unpublishChannel(psm: 0x81)
        case 10: kernel.accept(Int(input.number16()), DeviceAddress(kind: .random, value: peer.low))
        case 11: peripheral = adapter?.openPeripheral(observer: program)
        default:
            let value = input.block()
            let characteristic = CharacteristicReference(service: max(1, token - Int(what & 16) / 16), index: 0)
            for _ in 0..<40 {
                _ = peripheral?.update(
                    value.span, of: characteristic, centrals: what & 0x80 == 0 ? nil : program.centrals)
            }
        }
    }

    private func usePairing(_ what: UInt8, _ input: inout Input) {
        switch (what >> 4) % 8 {
        case 0: pairing?.pair(peer, minimum: .unauthenticated)
        case 1: pairing?.cancelPairing(with: peer)
        case 2, 3:
            let answers: [AgentAnswer] = [.accept(true), .accept(false), .cancel, .passkey(Passkey(value: 123456))]
            if let question = program.questions.last { pairing?.answer(question, input.one(of: answers)) }
        case 4:
            pairing?.setAgent(PairingAgentCapability(ioCapability: .displayYesNo, acceptsPairings: what & 0x80 == 0))
        case 5: pairing?.setAgent(nil)
        case 6: pairing?.unpair(peer)
        default: pairing = adapter?.openPairing(observer: program)
        }
    }

    private func useSockets(_ what: UInt8, _ input: inout Input) {
        let open = sockets
        switch (what >> 4) % 8 {
        case 0, 1: if !open.isEmpty { open[input.below(open.count)].receive(input.block()) }
        case 2: if !open.isEmpty { open[input.below(open.count)].end() }
        case 3: for socket in open { socket.makeRoom() }
        case 4: for socket in open { socket.isDrained = what & 0x80 == 0 }
        case 5:
            guard let socket = kernel.sockets.last(where: { !$0.isClosed }) else { return }
            switch input.octet() % 5 {
            case 0: socket.progress = .connected(sendMTU: Int(input.number16()))
            case 1: socket.progress = .failed(ChannelSystemError(code: Int32(input.octet())))
            case 2: socket.end = Int32(input.octet() & 1) * ECONNRESET
            case 3: socket.room = 2
            default: socket.incoming.append(input.block())
            }
        case 6: for handle in program.handles { _ = [1, 2, 3].withUnsafeBufferPointer { handle.write($0) } }
        default: if !program.handles.isEmpty { program.handles.removeLast().close() }
        }
        for socket in kernel.sockets { socket.poll() }
    }

    // MARK: Invariants

    private func check() {
        guard let bus else { return }
        let size = 40 + 6 * steps
        require(bus.calls.count <= size, "\(bus.calls.count) calls after \(steps) steps")
        require(bus.subscriptionCount <= 8, "\(bus.subscriptionCount) subscriptions")
        require(bus.exports.count <= 8 + 4 * (token + 1), "\(bus.exports.count) objects for \(token) services")
        require(sockets.count <= 8 + 2 * (token + 1), "sockets pile up")
        require(clock.count <= 400 + 60 * steps, "\(clock.count) calls wait for their time")
        require(bus.tokens.count <= 80, "\(bus.tokens.count) calls of bluetoothd without an answer")
    }

    /// The program leaves, and nothing stays.
    func end() {
        (central, peripheral, pairing) = (nil, nil, nil)
        program.handles = []
        clock.run(for: .seconds(20))
        adapter = nil
        clock.run(for: .seconds(400))
        require(weakAdapter == nil, "the adapter stays")
        require(bus?.isClosed == true, "the connection to the bus stays")
        require(bus?.exports.isEmpty == true, "an object stays")
        require(sockets.isEmpty, "a socket stays")
        require(kernel.openCount == 0, "a channel stays")
    }
}
