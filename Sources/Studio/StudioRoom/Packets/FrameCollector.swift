import BLEAdapter
import BLEPacketDecoding
import BLESimulator

/// Collects the packets of a world until the room takes them. The world's queue adds them.
final class FrameCollector: Sendable {
    /// Packets whose senders and receivers are slots of the radio.
    private let frames = Lock<[AirFrame]>([])

    var count: Int { frames.withLock { $0.count } }

    func observe(_ world: World) {
        world.observeAir { [self] packet, slot in
            let frame = AirFrame(packet, slot)
            frames.withLock { $0.append(frame) }
        }
    }

    /// Removes all packets and returns them.
    func take() -> [AirFrame] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }
}
