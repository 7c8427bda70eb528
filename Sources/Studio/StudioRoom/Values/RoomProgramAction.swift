/// An action of a program that the page offers on the card of a device. `RoomProgram.perform` does it.
package struct RoomProgramAction: Hashable, Codable, Sendable {
    package var id: String
    /// The states of the device in which the action makes sense.
    package var states: [RoomDevice.State]

    package init(_ id: String, in states: [RoomDevice.State]) {
        self.id = id
        self.states = states
    }
}
