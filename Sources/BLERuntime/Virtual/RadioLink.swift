import BLEAdapter
import BLEWire

/// A host's way to its controller on the virtual radio.
final class RadioLink: ControllerLink {
    private let door: SceneDoor
    private let number: Int
    private var framer = H4Framer(reader: .controller)

    init(_ door: SceneDoor, number: Int) {
        self.door = door
        self.number = number
    }

    func send(_ packets: Span<UInt8>) {
        guard let scene = door.scene else { return }
        framer.receive(packets) { scene.receive($0, from: number) }
    }

    func close() { door.scene?.remove(number) }
}
