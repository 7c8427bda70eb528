import BLEWire

/// The advertising events of an advertiser without a host.
package struct RawAdvertising: Hashable, Sendable {
    /// What extended PDUs have beyond the legacy ones (Vol 4, Part E, 7.8.53).
    package struct Extended: Hashable, Sendable {
        package var primaryPHY: HCI.PHY
        package var secondaryPHY: HCI.PHY
        /// The Advertising SID, 0 to 15.
        package var sid: UInt8
        package var isAnonymous: Bool
        /// At most 1,650 octets.
        package var data: [UInt8]
        package var response: [UInt8]

        package init(
            primaryPHY: HCI.PHY, secondaryPHY: HCI.PHY, sid: UInt8, isAnonymous: Bool, data: [UInt8], response: [UInt8]
        ) {
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.sid = sid
            self.isAnonymous = isAnonymous
            self.data = data
            self.response = response
        }
    }

    package var type: HCI.AdvertisingType
    /// The target of directed advertising.
    package var target: DeviceAddress
    /// Units of 0.625 ms, 0x0020 to 0x4000 (Vol 4, Part E, 7.8.5).
    package var interval: UInt16
    /// The data of legacy PDUs.
    package var data: HCI.AdvertisingData
    package var response: HCI.AdvertisingData
    /// Extended PDUs in place of legacy ones.
    package var extended: Extended?

    package init(
        type: HCI.AdvertisingType, target: DeviceAddress = DeviceAddress(kind: .public, value: 0), interval: UInt16,
        data: HCI.AdvertisingData = HCI.AdvertisingData(), response: HCI.AdvertisingData = HCI.AdvertisingData()
    ) {
        self.type = type
        self.target = target
        self.interval = interval
        self.data = data
        self.response = response
    }
}

/// The name, address and transmit power of an advertiser without a host.
package struct AdvertiserIdentity: Hashable, Sendable {
    package var name: String
    /// Nil selects a static random address that follows from the radio's seed and the name.
    package var address: DeviceAddress?
    /// dBm, -127 to 20.
    package var transmitPower: Int8

    package init(name: String, address: DeviceAddress? = nil, transmitPower: Int8 = 0) {
        self.name = name
        self.address = address
        self.transmitPower = transmitPower
    }
}

/// An advertiser without a host. It sends its controller only the advertising commands. It ends the link to a central
/// that connects, because there is no host to answer, and then advertises again. Used only on the engine's queue.
final class HostlessAdvertiser: HCIHost {
    let name: String
    /// Whether another host may use its slot after its removal.
    let releasesSlot: Bool
    private let address: DeviceAddress
    private let send: (Span<UInt8>) -> Void
    /// H4 packets that wait for the answer to the preceding one.
    private var commands: [[UInt8]] = []
    private var awaitsAnswer = false
    /// Whether it uses the commands for advertising sets. Only a reset allows the others then (Vol 4, Part E, 3.1.1).
    private var usesSets = false

    /// - Parameter send: Passes one H4 packet to its controller.
    init(
        _ advertising: RawAdvertising, name: String, address: DeviceAddress, releasesSlot: Bool,
        send: @escaping (Span<UInt8>) -> Void
    ) {
        self.name = name
        self.address = address
        self.releasesSlot = releasesSlot
        self.send = send
        reset()
        begin(advertising)
    }

    private func reset() {
        add(HCI.Reset())
        // LE events are off by default (Vol 4, Part E, 7.3.1).
        add(HCI.SetEventMask(mask: [.disconnectionComplete, .leMeta]))
        // A random address has to be set before it is used (Vol 4, Part E, 7.8.4).
        if address.kind == .random { add(HCI.LESetRandomAddress(address: address)) }
    }

    /// Replaces the advertising events.
    func change(to advertising: RawAdvertising) {
        if usesSets {
            // Other data may not be allowed with the events that the set has.
            add(HCI.LESetExtendedAdvertisingEnable(enable: false, sets: []))
            add(HCI.LERemoveAdvertisingSet(advertisingHandle: 0))
        } else {
            add(HCI.LESetAdvertisingEnable(enable: false))
        }
        if usesSets != (advertising.extended != nil) { reset() }
        begin(advertising)
        sendNext()
    }

    private func begin(_ advertising: RawAdvertising) {
        usesSets = advertising.extended != nil
        if let extended = advertising.extended { return begin(advertising, extended) }
        add(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: advertising.interval, intervalMaximum: advertising.interval,
                advertisingType: advertising.type, ownAddressType: address.kind == .random ? .random : .public,
                peerAddress: advertising.target))
        add(HCI.LESetAdvertisingData(data: advertising.data))
        add(HCI.LESetScanResponseData(data: advertising.response))
        enable()
    }

    private func begin(_ advertising: RawAdvertising, _ extended: RawAdvertising.Extended) {
        var properties: HCI.AdvertisingEventProperties =
            switch advertising.type {
            case .connectableUndirected: .connectable
            case .scannableUndirected: .scannable
            case .nonconnectableUndirected: []
            default: [.connectable, .directed]
            }
        if extended.isAnonymous { properties.insert(.anonymous) }
        // An event that is longer than the interval delays the next one.
        add(
            HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: 0, properties: properties, intervalMinimum: UInt32(advertising.interval),
                intervalMaximum: 0xFFFFFF, ownAddressType: address.kind == .random ? .random : .public,
                peerAddress: advertising.target, primaryPHY: extended.primaryPHY, secondaryPHY: extended.secondaryPHY,
                advertisingSID: extended.sid))
        if address.kind == .random {
            add(HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 0, address: address))
        }
        addFragments(of: extended.data) {
            add(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: 0, operation: $0, mayFragment: false, data: $1))
        }
        addFragments(of: extended.response) {
            add(
                HCI.LESetExtendedScanResponseData(
                    advertisingHandle: 0, operation: $0, mayFragment: false, data: $1))
        }
        enable()
    }

    private func addFragments(of octets: [UInt8], _ add: (HCI.DataOperation, Span<UInt8>) -> Void) {
        var start = 0
        while start < octets.count {
            let range = start..<min(octets.count, start + HCI.DataOperation.longestFragment)
            add(HCI.DataOperation(range, of: octets.count), octets.span.extracting(range))
            start = range.upperBound
        }
    }

    private func enable() {
        if usesSets {
            add(HCI.LESetExtendedAdvertisingEnable(enable: true, sets: [.init(advertisingHandle: 0)]))
        } else {
            add(HCI.LESetAdvertisingEnable(enable: true))
        }
    }

    private func add<C: HCICommand & ~Escapable>(_ command: C) {
        var octets: [UInt8] = []
        // None of these is too long for its packet.
        try? octets.append(command: command)
        commands.append(octets)
    }

    /// Sends one command at a time (Vol 4, Part E, 4.4).
    private func sendNext() {
        guard !awaitsAnswer, !commands.isEmpty else { return }
        awaitsAnswer = true
        let command = commands.removeFirst()
        send(command.span)
    }

    // MARK: HCIHost

    func handleTimeout() {}

    func receive(_ packet: Span<UInt8>) {
        guard case .event(let event)? = try? H4.Packet(decoding: packet) else { return }
        switch event.code {
        case .commandComplete, .commandStatus: awaitsAnswer = false
        // A connection ends connectable advertising (Vol 6, Part B, 4.4.2.2).
        case .disconnectionComplete: enable()
        case .leMeta: receiveLEEvent(event.parameters)
        default: break
        }
    }

    private func receiveLEEvent(_ parameters: Span<UInt8>) {
        guard let meta = try? HCI.LEMetaEvent(decoding: parameters), meta.subeventCode == .connectionComplete,
            let event = try? HCI.LEConnectionComplete(decoding: meta.parameters)
        else { return }
        // High duty cycle directed advertising ended after 1.28 s (Vol 6, Part B, 4.4.2.4.3).
        guard event.status == .success else { return enable() }
        add(
            HCI.Disconnect(
                connectionHandle: event.connectionHandle, reason: .remoteDeviceTerminatedConnectionDueToLowResources))
    }

    func flush() { sendNext() }
}
