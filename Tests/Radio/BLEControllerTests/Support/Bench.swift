import BLEController
import BLECrypto
import BLEWire
import Testing

/// A radio and hosts that speak raw HCI to its controllers, stepped from deadline to deadline.
final class Bench {
    let radio: VirtualRadio
    var hosts: [RawHost] = []
    /// Every transmission, as text.
    var log: [String] = []
    var packets = 0

    init(
        seed: UInt64 = 1, configuration: RadioConfiguration = RadioConfiguration(),
        crypto: (SeededRandom) -> any CryptoProvider = { SwiftCryptoProvider(generator: $0) }
    ) {
        radio = VirtualRadio(seed: seed, configuration: configuration, crypto: crypto)
    }

    func keepLog() {
        radio.airObserver = { [unowned self] packet in
            packets += 1
            var line = "\(packet.start.nanoseconds) \(packet.sender.rawValue) ch\(packet.channel) \(packet.phy) "
            for index in packet.pdu.indices { line += String(packet.pdu[index], radix: 16) + "." }
            for reception in packet.receptions {
                line += " \(reception.receiver.rawValue):\(reception.rssi):\(reception.outcome)"
            }
            log.append(line)
        }
    }

    /// A new device with the random address `C0:00:00:00:00:0n`, reset, with all events unmasked.
    @discardableResult
    func addHost(
        at position: RadioPosition = .origin, _ configure: (inout ControllerConfiguration) -> Void = { _ in }
    ) -> RawHost {
        var configuration = ControllerConfiguration()
        configure(&configuration)
        let host = RawHost(radio.addController(configuration, at: position), radio)
        hosts.append(host)
        host.send(HCI.Reset())
        host.send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
        host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF & ~(1 << 9))))
        host.send(HCI.LESetRandomAddress(address: host.address))
        deliver()
        return host
    }

    /// Hands output to the hosts until they have nothing to say to it.
    func deliver() {
        while let identifier = radio.controllersWithOutput.first {
            var bytes: [UInt8] = []
            radio.drainOutput(of: identifier) { bytes.append($0) }
            hosts.first { $0.identifier == identifier }?.receive(bytes)
        }
    }

    func run(for time: TimeSpan) { run(until: radio.now + time) }

    func run(until end: Instant) {
        deliver()
        while let next = radio.nextDeadline, next <= end {
            radio.advance(to: next)
            deliver()
        }
        radio.advance(to: end)
    }

    /// True if `condition` came to hold within the time.
    func run(atMost time: TimeSpan, until condition: () -> Bool) -> Bool {
        let end = radio.now + time
        deliver()
        while !condition() {
            guard let next = radio.nextDeadline, next <= end else { return false }
            radio.advance(to: next)
            deliver()
        }
        return true
    }

    /// Connects `central` to `peripheral`, which advertises for it. Nil if that takes more than 10 s.
    func connect(
        _ central: RawHost, _ peripheral: RawHost, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 100
    ) -> (central: UInt16, peripheral: UInt16)? {
        peripheral.advertise(interval: 0x20)
        central.connect(to: peripheral.address, interval: interval, latency: latency, timeout: timeout)
        let before = (central.connections.count, peripheral.connections.count)
        guard
            run(
                atMost: .seconds(10),
                until: {
                    central.connections.count > before.0 && peripheral.connections.count > before.1
                })
        else { return nil }
        return (central.connections[before.0].connectionHandle, peripheral.connections[before.1].connectionHandle)
    }
}

extension Bench {
    /// Encrypts the link of `central` with a key that both hosts have. False if that takes more than 10 s.
    func encrypt(_ central: RawHost, _ handle: UInt16, with peripheral: RawHost, key: UInt128 = 0xC0FFEE) -> Bool {
        let before = (central.encryptionReports, peripheral.encryptionReports)
        peripheral.keyReply = .key(key)
        central.enableEncryption(handle, key: key)
        return run(atMost: .seconds(10)) {
            central.encryptionReports > before.0 && peripheral.encryptionReports > before.1
        }
    }
}

/// A host under a test's control that obeys the flow control of its ACL buffers.
final class RawHost {
    let identifier: ControllerIdentifier
    private let radio: VirtualRadio
    /// Event packets without the type octet, in order; ACL packets are in `received`.
    var events: [[UInt8]] = []
    var connections: [HCI.LEConnectionComplete] = []
    var disconnections: [HCI.DisconnectionComplete] = []
    /// L2CAP octets by handle, in order of arrival.
    var received: [UInt16: [UInt8]] = [:]
    /// Octets of every ACL packet received.
    var receivedSizes: [Int] = []
    var credits = 16
    /// Whole ACL packets that wait for credits.
    private var waiting: [[UInt8]] = []
    private var waitingHead = 0
    /// Keeps the queue filled with this packet, for throughput; with two, they alternate.
    var flood: [UInt8]?
    var floodTail: [UInt8]?
    var keepsEvents = true
    /// Accepts each LE Remote Connection Parameter Request, with the requested parameters.
    var acceptsParameters = false
    /// The answer to each LE Long Term Key Request.
    enum KeyReply { case none, negative, key(UInt128) }
    var keyReply = KeyReply.none
    /// The successful Encryption Change and Encryption Key Refresh Complete events.
    var encryptionReports = 0
    /// Called with each ACL packet's handle and data, at the instant of its arrival.
    var onData: (UInt16, [UInt8]) -> Void = { _, _ in }

    init(_ identifier: ControllerIdentifier, _ radio: VirtualRadio) {
        self.identifier = identifier
        self.radio = radio
    }

    var address: DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | UInt64(identifier.rawValue))
    }

    // MARK: To the controller

    func send(_ command: some HCICommand) {
        var bytes: [UInt8] = []
        #expect(throws: Never.self) { try bytes.append(command: command) }
        radio.receive(bytes.span, for: identifier)
    }

    func send(raw bytes: [UInt8]) { radio.receive(bytes.span, for: identifier) }

    func queue(_ data: [UInt8], handle: UInt16, first: Bool = true) {
        waiting.append(Self.packet(data, handle: handle, first: first))
        pump()
    }

    static func packet(_ data: [UInt8], handle: UInt16, first: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        let boundary: HCI.ACLHeader.Boundary = first ? .firstNonFlushable : .continuing
        do {
            try bytes.append(acl: HCI.ACLPacket(connectionHandle: handle, boundary: boundary, data: data.span))
        } catch {
            Issue.record("\(data.count) octets: \(error)")
        }
        return bytes
    }

    func pump() {
        while credits > 0, waitingHead < waiting.count {
            credits -= 1
            let packet = waiting[waitingHead]
            waitingHead += 1
            radio.receive(packet.span, for: identifier)
        }
        while credits > 0, let packet = flood {
            credits -= 1
            radio.receive(packet.span, for: identifier)
            if floodTail != nil { swap(&flood, &floodTail) }
        }
    }

    func advertise(
        _ type: HCI.AdvertisingType = .connectableUndirected, interval: UInt16 = 0xA0, data: [UInt8] = [2, 1, 6],
        response: [UInt8] = [3, 9, 0x41, 0x42], peer: DeviceAddress = DeviceAddress(kind: .public, value: 0),
        policy: HCI.AdvertisingFilterPolicy = .everyone, own: HCI.OwnAddressType = .random
    ) {
        send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: interval, intervalMaximum: interval, advertisingType: type, ownAddressType: own,
                peerAddress: peer, filterPolicy: policy))
        guard let data = HCI.AdvertisingData(data.span), let response = HCI.AdvertisingData(response.span) else {
            Issue.record("too long: \(data) \(response)")
            return
        }
        send(HCI.LESetAdvertisingData(data: data))
        send(HCI.LESetScanResponseData(data: response))
        send(HCI.LESetAdvertisingEnable(enable: true))
    }

    func scan(
        _ type: HCI.ScanType = .active, interval: UInt16 = 0x10, window: UInt16 = 0x10, filtering: Bool = false,
        policy: HCI.ScanFilterPolicy = .everyone, own: HCI.OwnAddressType = .random
    ) {
        send(
            HCI.LESetScanParameters(
                scanType: type, interval: interval, window: window, ownAddressType: own, filterPolicy: policy))
        send(HCI.LESetScanEnable(enable: true, filterDuplicates: filtering))
    }

    func connect(
        to peer: DeviceAddress, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 100,
        policy: HCI.InitiatorFilterPolicy = .peerAddress, own: HCI.OwnAddressType = .random
    ) {
        send(
            HCI.LECreateConnection(
                scanInterval: 0x10, scanWindow: 0x10, filterPolicy: policy, peerAddress: peer, ownAddressType: own,
                intervalMinimum: interval, intervalMaximum: interval, maximumLatency: latency,
                supervisionTimeout: timeout))
    }

    // MARK: From the controller

    func receive(_ bytes: [UInt8]) {
        var position = 0
        while position < bytes.count {
            guard Self.isComplete(bytes[position...]) else {
                Issue.record("no packet: \(bytes[position...])")
                return
            }
            if bytes[position] == 2 {
                let handle = (UInt16(bytes[position + 1]) | UInt16(bytes[position + 2]) << 8) & 0xFFF
                let length = Int(bytes[position + 3]) | Int(bytes[position + 4]) << 8
                receivedSizes.append(length)
                if keepsEvents {
                    received[handle, default: []].append(
                        contentsOf: bytes[position + 5..<position + 5 + length])
                }
                onData(handle, Array(bytes[position + 5..<position + 5 + length]))
                position += 5 + length
            } else {
                let length = Int(bytes[position + 2])
                let event = Array(bytes[position + 1..<position + 3 + length])
                position += 3 + length
                do {
                    try take(event)
                } catch {
                    Issue.record("\(event): \(error)")
                }
            }
        }
        pump()
    }

    /// Whether a packet of the controller begins here and ends within the octets.
    private static func isComplete(_ octets: ArraySlice<UInt8>) -> Bool {
        let start = octets.startIndex
        switch octets.first {
        case 2 where octets.count >= 5:
            return octets.count >= 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8
        // Each event has parameters.
        case 4 where octets.count > 3: return octets.count >= 3 + max(1, Int(octets[start + 2]))
        default: return false
        }
    }

    private func take(_ event: [UInt8]) throws {
        let parameters = event.span.extracting(droppingFirst: 2)
        if event[0] == 0x13 {
            var entries = try HCI.NumberOfCompletedPackets(decoding: parameters).entries
            while let entry = entries.next() { credits += Int(entry.count) }
            return
        }
        if keepsEvents { events.append(event) }
        if acceptsParameters, event[0] == 0x3E, event[2] == 0x06 {
            let request = try HCI.LERemoteConnectionParameterRequest(decoding: parameters.extracting(droppingFirst: 1))
            send(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: request.connectionHandle, intervalMinimum: request.intervalMinimum,
                    intervalMaximum: request.intervalMaximum, maximumLatency: request.maximumLatency,
                    supervisionTimeout: request.supervisionTimeout, minimumConnectionEventLength: 0,
                    maximumConnectionEventLength: 0))
        }
        if event[0] == 0x08 || event[0] == 0x30, event[2] == 0 { encryptionReports += 1 }
        if event[0] == 0x3E, event.count > 4, event[2] == 0x05 {
            replyWithKey(UInt16(event[3]) | UInt16(event[4]) << 8)
        }
        if event[0] == 0x05 { disconnections.append(try HCI.DisconnectionComplete(decoding: parameters)) }
        if event[0] == 0x3E, event[2] == 0x01 {
            let complete = try HCI.LEConnectionComplete(decoding: parameters.extracting(droppingFirst: 1))
            connections.append(complete)
        }
    }

    private func replyWithKey(_ handle: UInt16) {
        switch keyReply {
        case .none: break
        case .negative: send(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle))
        case .key(let key):
            send(HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: Self.octets(of: key)))
        }
    }

    func enableEncryption(_ handle: UInt16, key: UInt128, random: UInt64 = 0, diversifier: UInt16 = 0) {
        send(
            HCI.LEEnableEncryption(
                connectionHandle: handle, randomNumber: random, encryptedDiversifier: diversifier,
                longTermKey: Self.octets(of: key)))
    }

    /// The octets of a key in a command, the least significant first.
    static func octets(of key: UInt128) -> InlineArray<16, UInt8> {
        InlineArray { UInt8(truncatingIfNeeded: key >> UInt128(8 * $0)) }
    }

    /// The parameters of all events of one kind.
    func all<E: HCIEvent>(events type: E.Type) -> [E] {
        events.compactMap { event in
            guard event[0] == E.eventCode.rawValue else { return nil }
            return try? E(decoding: event.span.extracting(droppingFirst: 2))
        }
    }

    /// The parameters of all LE events of one kind.
    func all<E: HCILEEvent>(_ type: E.Type) -> [E] {
        events.compactMap { event in
            guard event[0] == 0x3E, event[2] == E.subeventCode.rawValue else { return nil }
            return try? E(decoding: event.span.extracting(droppingFirst: 3))
        }
    }

    struct Report: Hashable {
        var type: UInt8
        var kind = DeviceAddress.Kind.random
        var address: UInt64
        var data: [UInt8]
        var rssi: Int8
    }

    var reports: [Report] {
        var result: [Report] = []
        for event in events where event[0] == 0x3E && event[2] == 0x02 {
            guard var list = try? HCI.LEAdvertisingReport(decoding: event.span.extracting(droppingFirst: 3)) else {
                continue
            }
            while let report = list.next() {
                result.append(
                    Report(
                        type: report.eventType.rawValue, kind: report.address.kind, address: report.address.value,
                        data: [UInt8](report.data),
                        rssi: report.rssi))
            }
        }
        return result
    }

    /// The status of the latest answer to a command.
    func status(of opcode: HCI.Opcode) -> HCI.ErrorCode? {
        let (low, high) = (UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8))
        for event in events.reversed() {
            if event[0] == 0x0E, event[3] == low, event[4] == high { return HCI.ErrorCode(rawValue: event[5]) }
            if event[0] == 0x0F, event[4] == low, event[5] == high { return HCI.ErrorCode(rawValue: event[2]) }
        }
        return nil
    }
}
