import BLEPacketDecoding

/// The packets of a room at one moment, as a value: a reader searches them while the room runs on.
package struct RoomPackets: Sendable {
    package var ring: PacketRing
    /// What the packets so far have shown of links and attributes.
    package var dissector: AirDissector
    /// The number of the run. Packets of two runs with equal numbers are not the same.
    package var run: Int
    /// The names of devices by their numbers.
    package var names: [Int: String]
    /// The HCI packets that the room no longer keeps, by the numbers of devices.
    package var droppedHCI: [Int: Int]
    /// The number of the first packet of the run.
    package var first: Int

    package init(
        ring: PacketRing, dissector: AirDissector, run: Int, names: [Int: String], droppedHCI: [Int: Int] = [:],
        first: Int = 0
    ) {
        self.ring = ring
        self.dissector = dissector
        self.run = run
        self.names = names
        self.droppedHCI = droppedHCI
        self.first = first
    }
}

extension RoomTimeline {
    package var roomPackets: RoomPackets {
        RoomPackets(
            ring: run.packets, dissector: run.dissector, run: runCount,
            names: Dictionary(run.devices.map { ($0.number, $0.name) }, uniquingKeysWith: { _, last in last }),
            droppedHCI: droppedHCI)
    }
}
