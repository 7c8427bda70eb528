import BLEAdapter
import BLEWire

/// Carries packets from a host to its controller on a virtual radio.
package final class VirtualControllerLink: ControllerLink {
    private let network: VirtualRadioNetwork
    private let slot: Int
    private var framer = H4Framer(reader: .controller)

    package init(_ network: VirtualRadioNetwork, slot: Int) {
        self.network = network
        self.slot = slot
    }

    package func send(_ packets: Span<UInt8>) { framer.receive(packets) { network.receive($0, from: slot) } }

    package func close() { network.remove(slot) }
}
