import BLEPacketDecoding
import BLESimulator

/// Keeps the HCI packets of a world.
///
/// `@unchecked Sendable`: the world's queue adds packets while the world runs, and the room reads them while the world stands still.
final class HCICollector: @unchecked Sendable {
    var rings = HCIRings()

    func observe(_ world: World) {
        world.observeHCI { [self] slot, direction, time, packet in
            rings.append(packet, direction == .toController ? .sent : .received, time: time.nanoseconds, slot: slot)
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
