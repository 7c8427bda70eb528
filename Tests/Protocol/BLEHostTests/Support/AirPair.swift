import BLEController
import BLECrypto
import BLEHost
import BLELink
import BLEWire

/// Two hosts with a link on a virtual radio, which send as much as there is room for; for throughput. The package of
/// benchmarks links to this file.
final class AirPair {
    /// What is sent.
    enum Traffic: String, CaseIterable {
        case notifications, writeCommands = "write commands", channel
        /// Notifications one way, write commands the other.
        case bothValues = "values both ways"
        case bothChannel = "channel both ways"

        var goesBothWays: Bool { self == .bothValues || self == .bothChannel }
        /// Payload octets in a link-layer data PDU of 251 octets: values of 495 octets take two, and SDUs of 2,002 eight.
        var octetsInPDU: Double {
            switch self {
            case .notifications, .writeCommands, .bothValues: 495.0 / 2
            case .channel, .bothChannel: 2_002.0 / 8
            }
        }
    }

    struct Setting {
        var phy = LL.PHY.twoM
        /// In units of 1.25 ms.
        var interval: UInt16 = 80
        /// Each data PDU with a payload then carries a MIC.
        var isEncrypted = true
        /// Octets of a notified or written value; the ATT_MTU is three more.
        var valueLength = 495

        /// How many data PDUs of 251 octets in one direction fit an event: cycles of a packet, its answer and two inter
        /// frame spaces, the last of which also keeps the distance from the next anchor. 0 if there is no time for one.
        func limit(bothWays: Bool) -> Int {
            let data = phy.airTime(pduLength: 2 + 251 + (isEncrypted ? LL.micLength : 0))
            let cycle = data + (bothWays ? data : phy.airTime(pduLength: 2)) + LL.interFrameSpace * 2
            return Int((LL.slot * Int(interval)).nanoseconds / cycle.nanoseconds)
        }

        /// The same as a rate, kbit/s of payload.
        func rateLimit(_ traffic: Traffic) -> Double {
            let octets = Double(limit(bothWays: traffic.goesBothWays)) * traffic.octetsInPDU
            return octets * 8e6 / Double((LL.slot * Int(interval)).nanoseconds)
        }
    }

    private final class End {
        var host: HostStack
        let controller: ControllerIdentifier
        var link: LinkIdentifier?
        var channel: UInt32?
        /// Payload received.
        var octets = 0
        /// Data PDUs of 251 octets, and a MIC, that were for this end.
        var fullPDUs = 0
        var hasFailed = false

        init(_ host: consuming HostStack, _ controller: ControllerIdentifier) {
            self.host = host
            self.controller = controller
        }
    }

    let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    private let setting: Setting
    private let central: End
    private let peripheral: End
    private var handle: UInt16 = 0
    private var traffic: Traffic?
    private let value: [UInt8]
    private let sdu = [UInt8](repeating: 0x55, count: 2_002)

    /// Nil if the link does not come about as it is wanted.
    init?(_ setting: Setting) {
        self.setting = setting
        value = [UInt8](repeating: 0x55, count: setting.valueLength)
        let radio = self.radio
        func end(_ seed: UInt64) -> End {
            var wish = HostConfiguration()
            wish.connectionParameters = RequestedConnectionParameters(
                intervalMinimum: setting.interval, intervalMaximum: setting.interval, latency: 0, timeout: 600)
            wish.uses2MPHY = setting.phy == .twoM
            wish.localMTU = UInt16(setting.valueLength + 3)
            return End(
                HostStack(
                    configuration: wish, random: SeededRandom(seed: seed),
                    crypto: SwiftCryptoProvider(generator: SeededRandom(seed: ~seed))),
                radio.addController())
        }
        central = end(2)
        peripheral = end(3)
        guard connect() else { return nil }
    }

    private func connect() -> Bool {
        let service = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0x36F5)), properties: 0x3E, permissions: 3, value: nil, descriptors: [])
            ])
        for end in [central, peripheral] {
            end.host.start(at: radio.now)
            settle()
        }
        guard let added = peripheral.host.database.add(service, included: []),
            let characteristic = added.characteristics.first, let address = peripheral.host.ownAddress
        else { return false }
        handle = characteristic.valueHandle
        peripheral.host.channelListeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
        peripheral.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: radio.now)
        central.host.connect(to: address, at: radio.now)
        run(for: .seconds(20)) { self.central.link != nil && self.peripheral.link != nil }
        guard let link = central.link else { return false }
        peripheral.host.setAdvertising(nil, at: radio.now)
        run(for: .seconds(30)) { Int(self.central.host.mtu(of: link) ?? 0) == self.setting.valueLength + 3 }
        if setting.phy.isCoded {
            for end in [central, peripheral] { useCoded(end) }
        }
        central.host.submit(
            .setNotify(valueHandle: handle, end: added.range.end, mode: .notification), id: 1, on: link, at: radio.now)
        _ = central.host.connectChannel(spsm: 0x80, on: link, at: radio.now)
        run(for: .seconds(20)) { self.central.channel != nil && self.peripheral.channel != nil }
        if setting.isEncrypted, !encrypt() { return false }
        // Every procedure comes to its end.
        run(for: LL.slot * Int(setting.interval) * 20) { false }
        for end in [central, peripheral] { end.hasFailed = false }
        let phy = min(3, setting.phy.rawValue)
        return [central, peripheral].allSatisfy { end in
            guard let link = end.link, let information = end.host.information(of: link) else { return false }
            return information.dataLength == 251 && information.transmitPHY == phy && information.receivePHY == phy
                && end.channel != nil
        }
    }

    /// Pairs the hosts by just works.
    private func encrypt() -> Bool {
        guard let link = central.link, let peripheralLink = peripheral.link else { return false }
        central.host.secure(link, minimum: .unauthenticated, at: radio.now)
        run(for: .seconds(20)) { self.isEncrypted(link, peripheralLink) }
        return isEncrypted(link, peripheralLink)
    }

    private func isEncrypted(_ link: LinkIdentifier, _ peripheralLink: LinkIdentifier) -> Bool {
        central.host.security(of: link)?.isEncrypted == true
            && peripheral.host.security(of: peripheralLink)?.isEncrypted == true
    }

    private func submit(_ command: some HCICommand, to end: End) {
        var packet: [UInt8] = []
        try? packet.append(command: command)
        radio.receive(packet.span, for: end.controller)
    }

    /// Asks for the Coded PHY as a host with a wish for reach would; ours leaves that to its peers.
    private func useCoded(_ end: End) {
        // The first handle that a virtual controller gives.
        let command = HCI.LESetPHY(
            connectionHandle: 0x40, txPHYs: .leCoded, rxPHYs: .leCoded,
            options: setting.phy == .codedS2 ? 1 : 2)
        submit(command, to: end)
        run(for: LL.slot * Int(setting.interval) * 20) { false }
    }

    /// Lets traffic flow over whole events and returns what arrived in each event, in percent of what fits: of one
    /// direction, or of the weaker of two. Nil if the link broke, or nothing fits.
    func percentage(_ traffic: Traffic, events: Int) -> Double? {
        let limit = setting.limit(bothWays: traffic.goesBothWays)
        guard limit > 0 else { return nil }
        self.traffic = traffic
        let interval = LL.slot * Int(setting.interval)
        settle()
        // Begins and ends with an event of the link, as far as that is known: queues are full in both cases.
        run(for: interval * 2) { false }
        // SDUs are too long to be counted in whole: data PDUs are, on the air, and SDUs have to agree.
        for end in [central, peripheral] { (end.octets, end.fullPDUs) = (0, 0) }
        let (central, peripheral) = (self.central, self.peripheral)
        radio.airObserver = { (packet: borrowing AirPacket) in
            guard packet.pdu.count >= 2 + 251, packet.receptions.contains(where: { $0.outcome == .received }) else {
                return
            }
            let receiver = packet.sender == central.controller ? peripheral : central
            receiver.fullPDUs += 1
        }
        run(for: interval * events) { false }
        radio.airObserver = nil
        self.traffic = nil
        let receivers =
            traffic.goesBothWays ? [central, peripheral] : traffic == .writeCommands ? [peripheral] : [central]
        let shares = receivers.map { end -> Double in
            let arrived = Double(end.octets) / traffic.octetsInPDU
            guard abs(arrived - Double(end.fullPDUs)) < 12 else { return 0 }
            return 100 * Double(end.fullPDUs) / Double(limit * events)
        }
        // What is still queued must not count for the next measurement.
        run(for: .seconds(10)) { false }
        return central.hasFailed || peripheral.hasFailed ? nil : shares.min()
    }

    /// What arrives of notifications over whole events, kbit/s of values of any length. Nil if the link broke.
    func rate(events: Int) -> Double? {
        traffic = .notifications
        let time = LL.slot * Int(setting.interval) * events
        run(for: LL.slot * Int(setting.interval) * 2) { false }
        central.octets = 0
        run(for: time) { false }
        traffic = nil
        return central.hasFailed || peripheral.hasFailed
            ? nil : Double(central.octets) * 8e6 / Double(time.nanoseconds)
    }

    // MARK: Driving

    private func run(for time: TimeSpan, until condition: () -> Bool) {
        let end = radio.now + time
        settle()
        while !condition() {
            var next = radio.nextDeadline ?? end
            for host in [central, peripheral] { if let due = host.host.nextTimeout { next = min(next, due) } }
            guard next <= end else { return radio.advance(to: end) }
            radio.advance(to: next)
            for host in [central, peripheral] {
                if let due = host.host.nextTimeout, due <= radio.now { host.host.handleTimeout(at: radio.now) }
            }
            settle()
        }
    }

    private func settle() {
        repeat {
            for end in [central, peripheral] {
                takeEvents(of: end)
                fill(end)
                send(from: end)
            }
            while let next = radio.nextControllerWithOutput {
                let end = next == central.controller ? central : peripheral
                radio.drainOutput(of: next) { end.host.receive($0, at: radio.now) }
            }
        } while !central.host.output.packets.isEmpty || !peripheral.host.output.packets.isEmpty
            || !central.host.output.events.pending.isEmpty || !peripheral.host.output.events.pending.isEmpty
    }

    private func send(from end: End) {
        let octets = end.host.output.packets
        var start = 0
        while start + 4 <= octets.count {
            let length =
                octets[start] == 2
                ? 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8 : 4 + Int(octets[start + 3])
            radio.receive(octets.span.extracting(start..<start + length), for: end.controller)
            start += length
        }
        end.host.output.packets.removeAll(keepingCapacity: true)
    }

    private func fill(_ end: End) {
        guard let traffic, let link = end.link else { return }
        let isCentral = end === central
        let (value, sdu) = (self.value, self.sdu)
        switch traffic {
        case .notifications where !isCentral, .bothValues where !isCentral:
            while end.host.takesValues(on: link),
                end.host.notify(value.span, handle: handle, on: link, at: radio.now)
            {}
        case .writeCommands where isCentral, .bothValues where isCentral:
            while end.host.takesValues(on: link) {
                guard (try? end.host.writeCommand(value.span, handle: handle, on: link, at: radio.now)) == true else {
                    return
                }
            }
        case .channel where !isCentral, .bothChannel:
            guard let channel = end.channel else { return }
            while end.host.send(sdu.span, onChannel: channel, of: link, at: radio.now) == .queued {}
        default: break
        }
    }

    private func takeEvents(of end: End) {
        guard !end.host.output.events.pending.isEmpty else { return }
        let events = end.host.output.events.pending
        let items = end.host.output.events.attributes.arena.writeItems
        end.host.output.events.removeAll()
        for event in events {
            switch event {
            case .connected(let link, _, _, _): end.link = link
            case .disconnected, .protocolViolation: end.hasFailed = true
            case .value(_, let value): end.octets += value.octets.count
            case .writeRequest(_, _, let range, _): for item in items[range] { end.octets += item.value.count }
            case .channel(_, .opened(let number, _)): end.channel = number
            case .channel(let link, .received(let number, let range)):
                end.octets += range.count
                end.host.consumed(range.count, onChannel: number, of: link, at: radio.now)
            default: break
            }
        }
    }
}
