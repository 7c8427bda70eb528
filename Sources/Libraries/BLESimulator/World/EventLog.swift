import BLEAdapter
import BLEController
import BLEHostAdapter
import BLEVirtualRadio
import BLEWire

/// The events of a world, one line each: transmissions at their ends, and HCI packets. Two runs of a program with the same seed
/// give equal logs.
package final class EventLog: Sendable {
    private let content = Lock<[UInt8]>([])

    /// The lines so far, ASCII.
    package var octets: [UInt8] { content.withLock { $0 } }

    /// The number of lines so far.
    package var count: Int { content.withLock { $0.count { $0 == UInt8(ascii: "\n") } } }

    fileprivate func record(_ packet: borrowing AirPacket) {
        content.withLock { content in
            content.append(text: "\(packet.start.nanoseconds) air \(packet.sender.rawValue) channel \(packet.channel)")
            content.append(text: " phy \(packet.phy) access \(String(packet.accessAddress, radix: 16))")
            content.append(text: " for \(packet.airTime.nanoseconds) ")
            content.append(hex: packet.pdu)
            for reception in packet.receptions {
                content.append(text: " \(reception.receiver.rawValue):\(reception.rssi):\(reception.outcome)")
            }
            content.append(UInt8(ascii: "\n"))
        }
    }

    fileprivate func record(_ device: Int, _ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>) {
        content.withLock { content in
            content.append(text: "\(time.nanoseconds) hci \(device) \(direction) ")
            content.append(hex: packet)
            content.append(UInt8(ascii: "\n"))
        }
    }
}

extension World {
    /// Starts the log. It is complete if this call precedes the first run of the world.
    package func recordEvents() -> EventLog {
        let log = EventLog()
        radio.change { network in
            network.observeAir { (packet: borrowing AirPacket) in log.record(packet) }
            network.observeHCI { log.record($0, $1, $2, $3) }
        }
        return log
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) { append(contentsOf: text.utf8) }

    fileprivate mutating func append(hex bytes: Span<UInt8>) {
        for index in bytes.indices { Hexadecimal.append(bytes[index], to: &self) }
    }
}
