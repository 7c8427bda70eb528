import BLEAttribute
import BLELink
import BLEWire

/// A Bluetooth LE host, sans-IO: packets of the controller, calls and the time go in; packets for the controller, events and the
/// next deadline come out.
///
/// After every call the driver sends and empties `outgoing`, and handles and empties `events` (`drainEvents`); at
/// `nextTimeout` it calls `handleTimeout`.
package struct HostStack: ~Copyable {
    package let configuration: HostConfiguration
    /// Whole H4 packets for the controller, one after another. The driver sends them and empties it, keeping the capacity.
    package var outgoing: [UInt8] = []
    package var events: [HostEvent] = []
    /// The octets to which events refer.
    package var eventBytes: [UInt8] = []
    /// The items to which `HostEvent.writeRequest` refers.
    package var eventItems: [ATTWriteItem] = []
    /// The local attributes that every link serves.
    package var database: AttributeDatabase
    package internal(set) var state: HostState = .off
    /// The address other devices see; nil until the host is ready.
    package internal(set) var ownAddress: DeviceAddress?

    package init(configuration: HostConfiguration, random: SeededRandom) {
        self.configuration = configuration
        database = AttributeDatabase(deviceName: configuration.deviceName, appearance: configuration.appearance)
    }
}
