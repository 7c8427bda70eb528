import BLEPacketDecoding
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
