import BLEController
import BLEWire
import Testing

/// A link of two controllers at a distance of 10 m, whose path loss is 65 dB, with hosts that receive all events.
final class PowerLink {
    let bench = Bench()
    let central: RawHost
    let peripheral: RawHost
    private(set) var handles: (central: UInt16, peripheral: UInt16) = (0, 0)
    /// The control PDUs on the air: the sender, the start and the octets from the opcode on.
    private(set) var pdus: [(sender: ControllerIdentifier, start: Instant, octets: [UInt8])] = []

    init(
        interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 400,
        central configureCentral: (inout ControllerConfiguration) -> Void = { _ in },
        peripheral configurePeripheral: (inout ControllerConfiguration) -> Void = { _ in }
    ) throws {
        central = bench.addHost(configureCentral)
        peripheral = bench.addHost(at: RadioPosition(x: 10), configurePeripheral)
        for host in [central, peripheral] {
            host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0x7_FFFF_FFFF & ~(1 << 9))))
        }
        bench.radio.airObserver = { [unowned self] packet in
            guard packet.channel < 37, packet.pdu.count > 2, packet.pdu[0] & 3 == 3 else { return }
            var octets: [UInt8] = []
            for index in 2..<packet.pdu.count { octets.append(packet.pdu[index]) }
            pdus.append((packet.sender, packet.start, octets))
        }
        handles = try #require(
            bench.connect(central, peripheral, interval: interval, latency: latency, timeout: timeout))
        bench.run(for: .milliseconds(300))
    }

    func handle(of host: RawHost) -> UInt16 { host === central ? handles.central : handles.peripheral }

    /// The other host.
    func peer(of host: RawHost) -> RawHost { host === central ? peripheral : central }

    /// The power of the last PDU that a side received, in dBm.
    func rssi(of host: RawHost) -> Int8? { bench.radio.links(of: host.identifier).first?.rssi }

    func move(to distance: Double) { bench.radio.move(peripheral.identifier, to: RadioPosition(x: distance)) }

    /// The control PDUs of a host with an opcode.
    func sent(by host: RawHost, _ opcode: UInt8) -> [[UInt8]] {
        pdus.filter { $0.sender == host.identifier && $0.octets.first == opcode }.map { $0.octets }
    }

    func write(_ power: Int8, of host: RawHost) {
        host.send(HCI.VendorWriteTransmitPower(role: .link, handle: handle(of: host), power: power))
    }

    func report(local: Bool, remote: Bool, to host: RawHost) {
        host.send(
            HCI.LESetTransmitPowerReportingEnable(
                connectionHandle: handle(of: host), reportsLocal: local, reportsRemote: remote))
    }
}
