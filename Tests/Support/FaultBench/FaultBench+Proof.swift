import BLEController
import BLEHost
import BLEWire

/// The proof that every function works without faults: each received value is compared with the sent one.
extension FaultBench {
    /// Tests every pair, then the ends of their links. Returns the first function that does not work; nil if all work.
    /// All links have ended afterwards.
    ///
    /// - Parameter isStrict: the controllers were reset since the last fault. Otherwise a host may do without what a controller
    ///   did not answer for: the signal, long data PDUs, the 2M PHY.
    package func proof(isStrict: Bool) -> String? {
        guard hasLinks else { return "there are no links" }
        let air = AirWatch(radio)
        defer { air.stop() }
        for pair in pairs {
            exchanges &+= 1
            let proof = LinkProof(
                bench: self, air: air, central: hosts[pair.central], peripheral: hosts[pair.peripheral],
                isStrict: isStrict)
            for host in hosts { host.inbox = Inbox() }
            defer { for host in hosts { host.inbox = nil } }
            if let failure = proof.run() { return "host \(pair.central) to host \(pair.peripheral): \(failure)" }
        }
        return proveEnds()
    }

    /// Ends each link in a different way: by the central, by the peripheral, by loss of all packets. Both ends have to
    /// report it.
    private func proveEnds() -> String? {
        for (number, pair) in pairs.enumerated() {
            let (central, peripheral) = (hosts[pair.central], hosts[pair.peripheral])
            guard let link = link(central, to: peripheral), let other = self.link(peripheral, to: central) else {
                return "host \(pair.central) and host \(pair.peripheral) lost their link"
            }
            central.host.setAdvertising(nil, at: now)
            peripheral.host.setAdvertising(nil, at: now)
            let before = (central.ledger.ends, peripheral.ledger.ends)
            let way = (number + exchanges) % 3
            switch way {
            case 0: central.host.disconnect(link, at: now)
            case 1: peripheral.host.disconnect(other, at: now)
            default: radio.setLoss(1, of: central.controller)
            }
            run(.seconds(20)) { central.ledger.open[link] == nil && peripheral.ledger.open[other] == nil }
            radio.setLoss(0, of: central.controller)
            if central.ledger.open[link] != nil || peripheral.ledger.open[other] != nil {
                let ways = ["by the central", "by the peripheral", "by the loss of all packets"]
                return "the end of a link \(ways[way]) was not reported within 20 s"
            }
            // The loss of all packets also ends the other links of that host.
            if way == 2 { break }
            if central.ledger.ends != before.0 + 1 || peripheral.ledger.ends != before.1 + 1 {
                return "the end of one link ended another"
            }
        }
        return nil
    }
}

/// Records the packets that each controller received from each other one.
final class AirWatch {
    private let radio: VirtualRadio
    private struct Way: Hashable {
        var sender: ControllerIdentifier
        var receiver: ControllerIdentifier
    }
    private var signals: [Way: Int8] = [:]
    private var packets: [Way: Int] = [:]

    init(_ radio: VirtualRadio) {
        self.radio = radio
        radio.airObserver = { [unowned self] (packet: borrowing AirPacket) in
            for reception in packet.receptions {
                let way = Way(sender: packet.sender, receiver: reception.receiver)
                signals[way] = reception.rssi
                if packet.channel < 37 { packets[way, default: 0] += 1 }
            }
        }
    }

    func stop() { radio.airObserver = nil }

    /// The power of the last packet from `sender`, in dBm; nil if there was none.
    func signal(from sender: FaultyHost, at receiver: FaultyHost) -> Int8? {
        signals[Way(sender: sender.controller, receiver: receiver.controller)]
    }

    /// The packets on data channels.
    func packets(from sender: FaultyHost, at receiver: FaultyHost) -> Int {
        packets[Way(sender: sender.controller, receiver: receiver.controller)] ?? 0
    }
}
