import Foundation
import StudioRoom
import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    package let hub = StudioHub()
    package let room: RoomService

    package init() {
        // `bluelab studio --controller` sets the variable.
        let hasAdapter = ProcessInfo.processInfo.environment["BLUETOOTH_CONTROLLER"]?.isEmpty == false
        do {
            room = try RoomService(hub, programs: RoomProgramKind.standard, scenes: RoomScene.standard)
        } catch {
            preconditionFailure("The first scene cannot begin: \(error)")
        }
        Maker.register(on: hub, hasAdapter: hasAdapter)
    }
}
