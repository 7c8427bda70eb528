import BLESecurity
import BLEWire

@testable import BLEHost

/// A device in the middle of a link: it reads, replaces, drops and adds Security Manager PDUs.
enum Interception {
    /// Passes each whole PDU that a host sends through `change`. The result reaches the peer; nil drops the PDU.
    static func start(_ sender: BenchHost, _ change: @escaping ([UInt8]) -> [UInt8]?) {
        var partial: [UInt8] = []
        var length = 0
        let controller = sender.controller
        controller.passesData = { [unowned controller] packet in
            let isContinuation = packet[2] >> 4 & 3 == 1
            if !isContinuation {
                guard packet.count > 8, packet[7] == 6, packet[8] == 0 else { return true }
                length = Int(packet[5]) | Int(packet[6]) << 8
                partial = Array(packet[9...])
            } else if length > 0 {
                partial += packet[5...]
            } else {
                return true
            }
            let handle = (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0xFFF
            var event: [UInt8] = []
            try? event.append(completedPackets: HCI.CompletedPackets(connectionHandle: handle, count: 1))
            controller.emit(event)
            guard partial.count >= length else { return false }
            length = 0
            if let pdu = change(partial), let link = controller.links.first(where: { $0.handle == handle }) {
                deliver(pdu, on: link)
            }
            return false
        }
    }

    /// Delivers a PDU to the peer of a link.
    static func deliver(_ pdu: [UInt8], on link: FakeController.Link) {
        let field = link.peerHandle | 0x2000
        let head: [UInt8] = [2, UInt8(truncatingIfNeeded: field), UInt8(truncatingIfNeeded: field >> 8)]
        let count = UInt8(pdu.count)
        link.peer.emit(head + [count + 4, 0, count, 0, 6, 0] + pdu)
    }
}

extension PairingBench {
    /// The IO capabilities and the wish for protection of both hosts.
    func setCapabilities(_ central: SMP.IOCapability, _ peripheral: SMP.IOCapability, secure: Bool = true) {
        self.central.host.pairingSettings.ioCapability = central
        self.peripheral.host.pairingSettings.ioCapability = peripheral
        for host in hosts {
            host.host.pairingSettings.policy.prefersManInTheMiddle =
                central != .noInputNoOutput && peripheral != .noInputNoOutput
            host.host.pairingSettings.policy.allowsSecureConnections = secure
        }
    }

    /// Replaces a host's peer by a device that has its address and none of its keys, and connects again.
    func clone(_ host: BenchHost) {
        for bond in host.host.bonds.bonds { host.host.removeBond(bond.peer) }
        setCapabilities(.noInputNoOutput, .noInputNoOutput)
        reconnect()
    }

    /// The other host of the link.
    func peer(of host: BenchHost) -> BenchHost { host === central ? peripheral : central }
}
