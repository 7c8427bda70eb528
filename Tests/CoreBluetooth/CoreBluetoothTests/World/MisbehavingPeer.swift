import BLEAdapter
import BLEAttribute
import BLEController
import BLESimulator
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import Testing

@testable import BLEHost
@testable import BLEHostAdapter
@testable import BLERuntime

/// A peripheral in a world whose host is right and whose attribute PDUs a test changes on their way to the controller.
///
/// `@unchecked Sendable`: the host is touched on the engine's queue alone.
final class MisbehavingPeer: HCIHost, @unchecked Sendable {
    static let service = CBUUID(string: "FEE7")

    private let radio: VirtualRadioRuntime
    private let radioLink: VirtualControllerLink
    private let slot: Int
    private var host: HostStack
    private let advertising: AdvertisingParameters
    /// Gets each attribute PDU, and returns what is sent in its place; nil: nothing.
    let change = Locked<(([UInt8]) -> [UInt8]?)?>(nil)

    convenience init(in world: World, data: [UInt8], scanResponse: [UInt8] = []) {
        self.init(in: world, AdvertisingParameters(data: data, scanResponse: scanResponse))
    }

    init(in world: World, _ advertising: AdvertisingParameters) {
        radio = world.radio
        slot = radio.nextSlot()
        radioLink = VirtualControllerLink(radio.network.object, slot: slot)
        self.advertising = advertising
        var configuration = HostConfiguration()
        configuration.deviceName = Array("Peer GAP".utf8)
        host = HostStack(configuration: configuration, random: SeededRandom(seed: 99))
        _ = host.database.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [], characteristics: []),
            included: [])
        radio.addHost(slot, at: RadioPosition(x: 1)) { [self] in
            host.start(at: radio.engine.now)
            return self
        }
        radio.change { [self] _ in flush() }
    }

    func handleTimeout() { host.handleTimeout(at: radio.engine.now) }

    func receive(_ packet: Span<UInt8>) { host.receive(packet, at: radio.engine.now) }

    func flush() {
        while !host.output.packets.isEmpty || !host.output.events.pending.isEmpty {
            let octets = host.output.packets
            host.output.packets.removeAll()
            send(octets)
            let events = host.output.events.pending
            host.output.events.removeAll()
            for case .stateChanged(.ready) in events { host.setAdvertising(advertising, at: radio.engine.now) }
        }
        radio.network.object.setDeadline(slot, to: host.nextTimeout)
    }

    private func send(_ octets: [UInt8]) {
        var rest = octets[...]
        while rest.count >= 5 {
            let start = rest.startIndex
            let count =
                rest[start] == 1 ? 4 + Int(rest[start + 3]) : 5 + Int(rest[start + 3]) + Int(rest[start + 4]) << 8
            if let packet = changed(Array(rest.prefix(count))) { radioLink.send(packet.span) }
            rest = rest.dropFirst(count)
        }
        // A command without parameters.
        if !rest.isEmpty { radioLink.send(Array(rest).span) }
    }

    /// The packet with its attribute PDU, if it has a whole one, as the test wants it.
    private func changed(_ packet: [UInt8]) -> [UInt8]? {
        guard let change = change.value, packet[0] == 2, packet.count > 9, packet[2] >> 4 & 3 != 1,
            packet[7] == 4, packet[8] == 0
        else { return packet }
        guard let pdu = change(Array(packet[9...])) else { return nil }
        let frame = [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), 4, 0] + pdu
        return Array(packet[..<3]) + [UInt8(frame.count & 0xFF), UInt8(frame.count >> 8)] + frame
    }

    /// Calls `body` with the host, on its executor.
    func act(_ body: @escaping @Sendable (inout HostStack, Instant) -> Void) {
        radio.change { [self] _ in
            body(&host, radio.engine.now)
            flush()
        }
    }

    /// Indicates a change of its database, whatever the range is.
    func indicateServicesChanged(_ range: HandleRange) {
        act { host, now in
            let value = [range.start, range.end].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            for link in host.links.map(\.identifier) {
                host.indicate(value.span, handle: host.database.serviceChangedHandle, on: link, at: now)
            }
        }
    }

    /// Ends its links as a host that gives this reason.
    func disconnect(_ reason: UInt8) {
        radio.change { [self] _ in
            for handle in host.connections.map(\.handle) {
                let command: [UInt8] = [1, 0x06, 0x04, 3, UInt8(handle & 0xFF), UInt8(handle >> 8), reason]
                radioLink.send(command.span)
            }
        }
    }

    /// Puts it `x` metres from the phone.
    func move(x: Double) { radio.change { [self] in $0.move(slot, to: RadioPosition(x: x)) } }
}

/// A phone and a peer that misbehaves.
final class MisbehavingScene {
    let world: World
    let phone: Phone
    let peer: MisbehavingPeer

    /// Flags, the service, and the name "Peer".
    static let advertisement: [UInt8] = [2, 1, 6, 3, 3, 0xE7, 0xFE, 5, 9, 0x50, 0x65, 0x65, 0x72]

    convenience init(data: [UInt8] = advertisement, scanResponse: [UInt8] = []) async throws {
        try await self.init(AdvertisingParameters(data: data, scanResponse: scanResponse))
    }

    init(_ advertising: AdvertisingParameters) async throws {
        world = World(seed: 3)
        peer = MisbehavingPeer(in: world, advertising)
        phone = Phone(world.addDevice("Phone"))
        try await wait("state 5")
    }

    /// Runs the world until the phone records an event with this prefix. Returns the event, and removes it and earlier ones.
    @discardableResult
    func wait(
        _ event: String, on other: Phone? = nil, within timeout: Duration = .seconds(60),
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let recorder = (other ?? phone).recorder
        await world.run(timeout: timeout) { recorder.events.value.contains { $0.hasPrefix(event) } }
        let found = recorder.events { events -> String? in
            guard let index = events.firstIndex(where: { $0.hasPrefix(event) }) else { return nil }
            defer { events.removeSubrange(...index) }
            return events[index]
        }
        return try #require(found, "no \(event) in \(recorder.events.value)", sourceLocation: location)
    }

    func discover(on other: Phone? = nil) async throws -> CBPeripheral {
        let phone = other ?? self.phone
        phone.manager.scanForPeripherals(withServices: [MisbehavingPeer.service])
        try await wait("discover", on: phone)
        phone.manager.stopScan()
        let peripheral = try #require(phone.recorder.peripherals.value.last)
        peripheral.delegate = phone.recorder
        return peripheral
    }

    /// A connection on which the hosts have asked what they want to know for themselves.
    func connect(on other: Phone? = nil, reconnects: Bool = false) async throws -> CBPeripheral {
        let peripheral = try await discover(on: other)
        (other ?? phone).manager.connect(
            peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: reconnects])
        try await wait("connect 2", on: other)
        await world.run(for: .seconds(10))
        _ = (other ?? phone).newEvents()
        return peripheral
    }
}
