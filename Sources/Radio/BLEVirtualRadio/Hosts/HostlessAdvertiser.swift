import BLEWire

/// The advertising events of an advertiser without a host, on the legacy advertising channels.
package struct RawAdvertising: Hashable, Sendable {
    package var type: HCI.AdvertisingType
    /// The target of directed advertising.
    package var target: DeviceAddress
    /// Units of 0.625 ms, 0x0020 to 0x4000 (Vol 4, Part E, 7.8.5).
    package var interval: UInt16
    package var data: HCI.AdvertisingData
    package var response: HCI.AdvertisingData

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

    /// - Parameter send: Passes one H4 packet to its controller.
    init(
        _ advertising: RawAdvertising, name: String, address: DeviceAddress, releasesSlot: Bool,
        send: @escaping (Span<UInt8>) -> Void
    ) {
        self.name = name
        self.address = address
        self.releasesSlot = releasesSlot
        self.send = send
        add(HCI.Reset())
        // LE events are off by default (Vol 4, Part E, 7.3.1).
        add(HCI.SetEventMask(mask: [.disconnectionComplete, .leMeta]))
        // A random address has to be set before it is used (Vol 4, Part E, 7.8.4).
        if address.kind == .random { add(HCI.LESetRandomAddress(address: address)) }
        begin(advertising)
    }

    /// Replaces the advertising events.
    func change(to advertising: RawAdvertising) {
        add(HCI.LESetAdvertisingEnable(enable: false))
        begin(advertising)
        sendNext()
    }

    private func begin(_ advertising: RawAdvertising) {
        add(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: advertising.interval, intervalMaximum: advertising.interval,
                advertisingType: advertising.type, ownAddressType: address.kind == .random ? .random : .public,
                peerAddress: advertising.target))
        add(HCI.LESetAdvertisingData(data: advertising.data))
        add(HCI.LESetScanResponseData(data: advertising.response))
        enable()
    }

    private func enable() { add(HCI.LESetAdvertisingEnable(enable: true)) }

    private func add(_ command: some HCICommand) {
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
