import BLEAdapter
import BLEPacketDecoding
import BLETransport
import BLESimulator

/// Keeps the HCI packets of a world. The world's queue adds them.
final class HCICollector: Sendable {
    let rings = Lock(HCIRings())

    func observe(_ world: World) {
        world.observeHCI { [self] slot, direction, time, packet in
            let direction: BtsnoopWriter.Direction = direction == .toController ? .sent : .received
            rings.withLock { $0.append(packet, direction, time: time.nanoseconds, slot: slot) }
        }
    }
}

/// The HCI packets of one host of the room, as a file.
package struct HCIRecording: Sendable {
    /// The name of the device.
    package var name: String
    /// btsnoop with H4 packets. Virtual time begins with 1970. It contains what the host sends to its controller, also the keys of its links.
    package var btsnoop: [UInt8]
}
