import BLEAdapter
import BLEController
import BLERuntime
import BLEWire

/// Everything that happened in a world, one line each: transmissions when they end, and HCI packets. Two runs of the same
/// program with the same seed write the same octets.
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
    /// Begins to write down what happens; complete if called before the world first runs.
    package func recordEvents() -> EventLog {
        let log = EventLog()
        stage.change { scene in
            scene.airObservers.append { (packet: borrowing AirPacket) in log.record(packet) }
            scene.hciObservers.append { log.record($0, $1, $2, $3) }
        }
        return log
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) { append(contentsOf: text.utf8) }

    fileprivate mutating func append(hex bytes: Span<UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        for index in bytes.indices {
            append(digits[Int(bytes[index] >> 4)])
            append(digits[Int(bytes[index] & 15)])
        }
    }
}
