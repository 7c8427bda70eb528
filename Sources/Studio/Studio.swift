import StudioRoom
import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    package let hub = StudioHub()
    package let room: RoomService

    package init() {
        do {
            room = try RoomService(hub, programs: RoomProgramKind.standard, scenes: RoomScene.standard)
        } catch {
            preconditionFailure("The first scene cannot begin: \(error)")
        }
        let engine = room.engine
        PacketViews { try await engine.perform { $0.timeline.roomPackets } }.register(on: hub)
    }
}
