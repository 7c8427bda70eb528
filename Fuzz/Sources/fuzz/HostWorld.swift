import BLEAdapter
import BLEAttribute
import BLEController
import BLECrypto
import BLEHost
import BLELink
import BLESecurity
import BLESessions
import BLEWire

/// A host with its sessions, and a controller that answers its commands as a virtual controller did once.
struct HostWorld: ~Copyable {
    /// What a host has beside the default.
    struct Traits: OptionSet {
        let rawValue: UInt8
        /// It opens and accepts enhanced bearers, and its links are encrypted from the beginning.
        static let enhancedBearers = Traits(rawValue: 1 << 0)
        /// It pairs, and it has a bond with peer 1.
        static let security = Traits(rawValue: 1 << 1)
        /// Sessions call it and take its events.
        static let sessions = Traits(rawValue: 1 << 2)
    }

    let traits: Traits
    var sessions: HostSessions
    var host: HostStack {
        _read { yield sessions.host }
        _modify { yield &sessions.host }
    }
    var now = Instant.zero
    /// Packets of the host that nothing was done about yet.
    private var waiting: [[UInt8]] = []
    /// Completions of data are kept back.
    var keepsCompletions = false
    private var keptCompletions: [UInt8: Int] = [:]
    private(set) var lastOpcode: UInt16 = 0
    var operations: UInt32 = 0
    /// A characteristic of the host whose value its program has.
    let valueHandle: UInt16
    var openChannels: [(link: LinkIdentifier, number: UInt32)] = []
    /// The operations of sessions that have not ended.
    var pendingOperations = 0
    /// The number of tokens that sessions have used.
    var tokens = 0
    /// The last question to the agent.
    var question: PairingQuestionNumber?

    /// The number of octets that a host may hold for one link: the limit of its queue, and the data in transit.
    private static let queueLimit = 20_000

    init(_ traits: Traits = []) {
        self.traits = traits
        var configuration = HostConfiguration()
        configuration.transmitQueueOctets = 4_096
        configuration.transmitQueueLimit = Self.queueLimit
        configuration.creditBased.mtu = 300
        configuration.creditBased.mps = 100
        configuration.creditBased.receiveWindow = 2_000
        configuration.acceptedSubrates = RequestedSubrate(factors: 1...8, timeout: 3_200)
        if traits.contains(.enhancedBearers) { configuration.enhancedBearers = 3 }
        configuration.suspendsForSecurity = traits.contains(.sessions)
        let crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 2))
        sessions = HostSessions(
            host: HostStack(
                configuration: configuration, random: SeededRandom(seed: 1),
                crypto: traits.contains(.security) ? crypto : nil),
            identities: AddressIdentities())
        let characteristic = CharacteristicDefinition(
            uuid: BluetoothUUID(UInt16(0x36F5)), properties: 0x7E, permissions: 3, value: nil, descriptors: [])
        let constant = CharacteristicDefinition(
            uuid: BluetoothUUID(UInt16(0x36F6)), properties: 0x02, permissions: 1,
            value: [UInt8](repeating: 7, count: 100), descriptors: [])
        let service = sessions.host.database.add(
            ServiceDefinition(
                uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
                characteristics: [characteristic, constant]), included: [])
        valueHandle = service?.characteristics.first?.valueHandle ?? 0
        if traits.contains(.sessions) {
            openSessions()
        } else {
            host.channelListeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
            host.output.events.separatesCompletion = false
        }
        guard traits.contains(.security) else { return }
        let key = StoredKey(key: LongTermKey(value: 1), diversifier: 0, random: 0)
        host.addBond(
            Bond(
                peer: Self.peer(1), security: Self.encrypted, usesDebugKeys: false, localKey: key, peerKey: key,
                peerIdentityKey: nil, localSignatureKey: SignatureKey(value: 2),
                peerSignatureKey: SignatureKey(value: 3), linkKey: nil))
        host.pairingSettings.policy.localKeys.insert(.signing)
        host.pairingSettings.policy.peerKeys.insert(.signing)
    }

    private static let encrypted = LinkSecurity(
        keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true)

    static func peer(_ number: UInt8) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | UInt64(number % 4))
    }

    // MARK: The controller

    /// The answers to the commands of a start-up, by opcode.
    private static let recorded: [UInt16: [UInt8]] = {
        let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
        let controller = radio.addController()
        var host = HostStack(configuration: HostConfiguration(), random: SeededRandom(seed: 1))
        var answers: [UInt16: [UInt8]] = [:]
        host.start(at: .zero)
        while !host.output.packets.isEmpty {
            for packet in split(host.output.packets) { radio.receive(packet.span, for: controller) }
            host.output.packets.removeAll()
            radio.drainOutput(of: controller) { packet in
                if packet[1] == 0x0E { answers[UInt16(packet[4]) | UInt16(packet[5]) << 8] = [UInt8](packet) }
                host.receive(packet, at: .zero)
            }
        }
        require(host.state == .ready, "the start-up does not end")
        return answers
    }()

    /// Takes the output of the host: whole H4 packets.
    static func split(_ octets: [UInt8]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var start = 0
        while start < octets.count {
            require(octets.count - start >= 4, "a host sends part of a packet")
            require(octets[start] == 1 || octets[start] == 2, "a host sends packets of type \(octets[start])")
            let count =
                octets[start] == 1
                ? 4 + Int(octets[start + 3])
                : octets.count - start < 5 ? 5 : 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8
            require(octets.count - start >= count, "a host sends part of a packet")
            packets.append(Array(octets[start..<start + count]))
            start += count
        }
        return packets
    }

    mutating func start() {
        if traits.contains(.sessions) { sessions.attach(at: now) } else { host.start(at: now) }
        answerAll()
    }

    /// Answers everything that waits, as a controller should.
    mutating func answerAll() {
        var rounds = 0
        take()
        while !waiting.isEmpty {
            let packets = waiting
            waiting.removeAll()
            for packet in packets { answer(packet) }
            take()
            rounds += 1
            require(rounds < 5_000, "host and controller talk without end")
        }
    }

    private mutating func answer(_ packet: [UInt8]) {
        guard packet[0] == 1 else {
            let handle = packet[1]
            guard !keepsCompletions else { return keptCompletions[handle, default: 0] += 1 }
            return receive([4, 0x13, 5, 1, handle, 0, 1, 0])
        }
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        lastOpcode = opcode
        let (low, high) = (packet[1], packet[2])
        let handle = packet.count > 5 ? [packet[4], packet[5]] : [0, 0]
        if let recorded = Self.recorded[opcode] { return receive(recorded) }
        switch opcode {
        case 0x0406, 0x200D, 0x2013, 0x2016, 0x2019, 0x2032, 0x2043, 0x2044, 0x206D, 0x2077, 0x207E:
            receive([4, 0x0F, 4, 0, 1, low, high])
            switch opcode {
            case 0x2019: receive([4, 0x08, 4, 0] + handle + [1])
            // The train begins, with a handle that depends on the advertiser.
            case 0x2044:
                let address = packet[4] & 1 == 0 ? Array(packet[5...12]) : [5, 1, 1, 0, 0, 0, 0, 0xC0]
                receive([4, 0x3E, 16, 0x0E, 0, address[2], 0] + address + [1, 80, 0, 0])
            case 0x2077: receive([4, 0x3E, 9, 0x21, 0] + handle + [2, packet[6], 4, 0, 0])
            case 0x207E: receive([4, 0x3E, 12, 0x23, 0] + handle + packet[6...7] + [0, 0, 0, 0, 200, 0])
            case 0x0406: receive([4, 0x05, 4, 0] + handle + [0x16])
            case 0x2013: receive([4, 0x3E, 10, 3, 0] + handle + packet[6...7] + [0, 0, 200, 0])
            case 0x2016: receive([4, 0x3E, 12, 4, 0] + handle + [0x3E, 0x49, 0, 0, 0, 0, 0, 0])
            case 0x2032: receive([4, 0x3E, 6, 0x0C, 0] + handle + [2, 2])
            default: break
            }
        case 0x2036: receive([4, 0x0E, 5, 1, low, high, 0, 7])
        case 0x2045:
            receive([4, 0x0E, 4, 1, low, high, 0])
            receive([4, 0x3E, 16, 0x0E, 0x44, 0, 0, 5, 1, 1, 0, 0, 0, 0, 0xC0, 1, 80, 0, 0])
        case 0x2076: receive([4, 0x0E, 9, 1, low, high, 0] + handle + [packet[6], 4, 8])
        case 0x1405: receive([4, 0x0E, 7, 1, low, high, 0] + handle + [0xC0])
        case 0x201A, 0x201B, 0x2022, 0x2078, 0x2079, 0x207A, 0x205A, 0x205B, 0x205C:
            receive([4, 0x0E, 6, 1, low, high, 0] + handle)
        default: receive([4, 0x0E, 4, 1, low, high, 0])
        }
    }

    mutating func releaseCompletions() {
        let kept = keptCompletions.sorted { $0.key < $1.key }
        keptCompletions.removeAll()
        for (handle, count) in kept {
            receive([4, 0x13, 5, 1, handle, 0, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)])
        }
    }

    /// A packet of the controller.
    mutating func receive(_ packet: [UInt8]) {
        if traits.contains(.sessions) {
            sessions.receive(packet.span, at: now)
        } else {
            host.receive(packet.span, at: now)
        }
        take()
    }

    /// A link as a controller reports it.
    mutating func connect(handle: UInt8, role: UInt8, peer: UInt8) {
        let peer: [UInt8] = [peer, 0, 0, 0, 0, 0xC0]
        receive([4, 0x3E, 19, 1, 0, handle, 0, role, 1] + peer + [24, 0, 0, 0, 200, 0, 0])
        guard traits.contains(.enhancedBearers), let link = host.links.last?.identifier else { return }
        host.setSecurity(Self.encrypted, of: link)
        // The controller says so as well, which lets a central look for the peer's bearers.
        if traits.contains(.security) { receive([4, 0x08, 4, 0, handle, 0, 1]) }
    }

    /// Requests a link to peer 1.
    mutating func connectOut() {
        if traits.contains(.sessions) { connectSession(to: 1) } else { host.connect(to: Self.peer(1), at: now) }
        answerAll()
    }

    /// An L2CAP frame, cut into fragments of so many octets.
    mutating func receiveFrame(handle: UInt8, channel: UInt16, _ payload: [UInt8], fragment: Int) {
        let frame =
            [
                UInt8(truncatingIfNeeded: payload.count), UInt8(truncatingIfNeeded: payload.count >> 8),
                UInt8(truncatingIfNeeded: channel), UInt8(truncatingIfNeeded: channel >> 8),
            ] + payload
        var start = 0
        while start < frame.count {
            let end = min(frame.count, start + max(1, fragment))
            receive(
                [2, handle, start == 0 ? 0x20 : 0x10, UInt8(truncatingIfNeeded: end - start), 0] + frame[start..<end])
            start = end
        }
    }

    // MARK: Time

    mutating func advance(_ span: TimeSpan) {
        let end = now + span
        var atOnce = 0
        var deadlines = 0
        while let next = nextTimeout, next <= end {
            atOnce = next <= now ? atOnce + 1 : 0
            deadlines += 1
            require(atOnce < 1_000, "the time stands still: a deadline comes again and again")
            require(deadlines < 10_000, "\(deadlines) deadlines in \(span.nanoseconds) ns")
            now = max(now, next)
            if traits.contains(.sessions) { sessions.handleTimeout(at: now) } else { host.handleTimeout(at: now) }
            take()
        }
        now = end
    }

    private var nextTimeout: Instant? { traits.contains(.sessions) ? sessions.nextDeadline : host.nextTimeout }

    // MARK: The host

    /// Checks the output of the last call: whole packets, events whose octets exist, bounded queues.
    mutating func take() {
        takePackets()
        for link in host.links {
            let queued = host.queuedOctets(on: link.identifier)
            require(queued < Self.queueLimit + 8_192, "\(queued) octets wait for one link")
        }
        guard !traits.contains(.sessions) else { return takeSessions() }
        guard !host.output.events.pending.isEmpty else {
            let arena = host.output.events.attributes.arena
            require(arena.octets.isEmpty && arena.subscribers.isEmpty, "the arena has octets without an event")
            return
        }
        let (events, bytes, items) = (
            host.output.events.pending, host.output.events.attributes.arena.octets,
            host.output.events.attributes.arena.writeItems
        )
        host.output.events.removeAll()
        require(events.count < 100_000, "\(events.count) events after one call")
        for event in events { take(event, bytes, items) }
    }

    mutating func takePackets() {
        require(host.output.packets.count < 1 << 20, "\(host.output.packets.count) octets wait in a host")
        waiting += Self.split(host.output.packets)
        host.output.packets.removeAll(keepingCapacity: true)
        if waiting.count > 4_000 { waiting.removeFirst(waiting.count - 4_000) }
    }

    private mutating func take(_ event: HostEvent, _ bytes: [UInt8], _ items: [ATTWriteItem]) {
        func check(_ range: Range<Int>) { require(range.upperBound <= bytes.count, "an event has no octets") }
        switch event {
        case .advertisingReport(let report): check(report.data)
        case .periodicReport(let report): check(report.data)
        case .value(let link, let value):
            check(value.octets)
            if value.isIndication { host.confirmIndication(on: link, at: now) }
        case .servicesChanged(let link, _): host.confirmIndication(on: link, at: now)
        case .readRequest(let link, let request, _, let offset):
            let value = [UInt8](repeating: 9, count: max(0, 100 - offset))
            host.respondToRead(request, value: value.span, on: link, at: now)
        case .writeRequest(let link, let request, let range, let needsResponse):
            for item in items[range] { check(item.value) }
            if needsResponse { host.respondToWrite(request, error: nil, on: link, at: now) }
        case .channel(let link, .received(let number, let range)):
            check(range)
            host.consumed(range.count, onChannel: number, of: link, at: now)
        case .channel(let link, .opened(let number, _)): openChannels.append((link, number))
        case .channel(let link, .closed(let number, _)):
            openChannels.removeAll { $0.link == link && $0.number == number }
        default: break
        }
        require(openChannels.count <= 64 * 64, "\(openChannels.count) channels are open")
    }

    /// The faults are over: the controller completes and ends everything, and no deadline is left after a while.
    mutating func finish() {
        keepsCompletions = false
        releaseCompletions()
        for link in host.links { host.disconnect(link.identifier, at: now) }
        answerAll()
        advance(.seconds(120))
        answerAll()
    }
}
