/// An action of a program that the page offers on the card of a device. `WorldProgram.perform` does it.
package struct WorldProgramAction: Hashable, Codable, Sendable {
    package var id: String
    /// The states of the device in which the action makes sense.
    package var states: [WorldDeviceState]

    package init(_ id: String, in states: [WorldDeviceState]) {
        self.id = id
        self.states = states
    }
}
