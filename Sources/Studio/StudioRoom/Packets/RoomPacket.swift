import BLEPacketDecoding

/// A packet of the room with its meaning. Its sender and its receivers are numbers of devices: 1 for `d1`.
package struct RoomPacket: Sendable {
    package var frame: AirFrame
    package var summary: PacketSummary

    package init(frame: AirFrame, summary: PacketSummary) {
        self.frame = frame
        self.summary = summary
    }
}
