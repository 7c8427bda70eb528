import BLEWire

/// A host's way to its controller on the virtual radio.
final class RadioLink: ControllerLink {
    private weak var scene: RadioScene?
    private let number: Int
    private var framer = H4Framer(reader: .controller)

    init(scene: RadioScene, number: Int) {
        self.scene = scene
        self.number = number
    }

    func send(_ packets: Span<UInt8>) {
        guard let scene else { return }
        framer.receive(packets) { scene.receive($0, from: number) }
    }

    func close() { scene?.remove(number) }
}
