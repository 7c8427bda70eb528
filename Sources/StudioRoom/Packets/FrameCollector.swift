import BLEController
import BLEDissection
import BLESimulator

/// Collects the packets of a world until the room takes them.
///
/// `@unchecked Sendable`: the world's queue adds packets while the world runs, and the room takes them while the world stands still.
final class FrameCollector: @unchecked Sendable {
    /// Packets whose senders and receivers are slots of the radio.
    private var frames: [AirFrame] = []

    var count: Int { frames.count }

    func observe(_ world: World) {
        world.observeAir { [self] packet, slot in frames.append(AirFrame(packet, slot)) }
    }

    /// Passes all packets to `body` and removes them.
    func drain(_ body: (inout AirFrame) -> Void) {
        for index in frames.indices { body(&frames[index]) }
        frames.removeAll(keepingCapacity: frames.capacity <= 8192)
    }
}

extension AirFrame {
    /// - Parameter slot: Returns the slot of a controller. A removed controller has none.
    init(_ packet: borrowing AirPacket, _ slot: (ControllerIdentifier) -> Int?) {
        let pdu = packet.pdu
        self.init(
            number: 0, start: packet.start.nanoseconds, airTime: packet.airTime.nanoseconds, channel: packet.channel,
            phy: packet.phy, accessAddress: packet.accessAddress, crcInit: packet.crcInit,
            octets: Array(unsafeUninitializedCapacity: pdu.count) { buffer, count in
                for index in pdu.indices { buffer.initializeElement(at: index, to: pdu[index]) }
                count = pdu.count
            },
            plaintext: packet.plaintext, sender: slot(packet.sender) ?? -1,
            receptions: packet.receptions.map { reception in
                let outcome: Outcome =
                    switch reception.outcome {
                    case .received: .received
                    case .corrupted: .corrupted
                    case .missed: .missed
                    }
                return Reception(receiver: slot(reception.receiver) ?? -1, rssi: reception.rssi, outcome: outcome)
            })
    }
}
