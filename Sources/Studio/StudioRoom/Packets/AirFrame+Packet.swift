import BLEController
import BLEPacketDecoding

extension AirFrame {
    /// A packet of a virtual radio, with the number 0.
    ///
    /// - Parameter slot: Returns the slot of a controller. A removed controller has none.
    package init(_ packet: borrowing AirPacket, _ slot: (ControllerIdentifier) -> Int?) {
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
