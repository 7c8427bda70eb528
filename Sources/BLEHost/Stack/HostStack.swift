import BLEAttribute
import BLELink
import BLEWire

///
/// A Bluetooth LE host, sans-IO: packets of the controller, calls and the time go in; packets for the controller, events and
/// the next deadline come out. It joins the state machines of this target and routes between them; they make the decisions.
///
/// After every call the driver sends and empties `outgoing`, and handles and empties `events` (`drainEvents`); at `nextTimeout`
/// it calls `handleTimeout`.
package struct HostStack: ~Copyable {
    enum Phase: Hashable, Sendable {
        case off
        case starting
        case running
        /// Powering off: links are ending.
        case stopping(until: Instant)
        /// Powering off: the last Reset is under way.
        case closing
    }

    package let configuration: HostConfiguration
    /// Whole H4 packets for the controller, one after another. The driver sends them and empties it, keeping the capacity.
    package var outgoing: [UInt8] = []
    package var events: [HostEvent] = []
    /// The local attributes that every link serves. After a change call `databaseChanged`.
    package var database: AttributeDatabase
    /// The services that take credit-based channels, on every link.
    package var channelListeners: [CreditBasedListener] = []
    package internal(set) var state: HostState = .off
    /// The address other devices see; nil until the host is ready.
    package internal(set) var ownAddress: DeviceAddress?

    var phase = Phase.off
    let fallbackAddress: DeviceAddress
    var startUp: StartUp
    var capabilities = ControllerCapabilities()
    var failures = 0
    var lastFailure: Instant?

    var commands = CommandQueue<CommandPurpose>()
    /// Whether `commands` changed: there may be commands to send, and another deadline. Spares most packets that work.
    var commandsChanged = false
    var commandDeadline: Instant?
    var transmitter: ACLTransmitter
    var connections: [Connection] = []
    var nextLink: UInt32 = 1
    /// How many links are `unconfirmed`.
    var unconfirmed = 0
    var scanner = Scanner()
    var advertiser = Advertiser()
    var initiator = ConnectionInitiator(capacity: 1)
    /// Peers to connect to once their old link has ended: a controller refuses a second link to one peer.
    var postponed: [DeviceAddress] = []
    var isClearingStaleLink = false
    /// How many links had data and no connection complete event, since the last such event.
    var unknownLinks = 0
    var lastViolation: ProtocolViolation?
    /// How many links have `usesChannels` set.
    var channelLinks = 0
    /// When the controller has kept its buffers full for too long; nil while it does not.
    var stallEnds: Instant?

    /// Reused by every bearer. Its arena is that of the host's events: a bearer stores values where the driver reads them.
    var attributeOutput = ATTOutput()
    /// Reused by every signalling channel.
    var signalOutput: [UInt8] = []

    package init(configuration: HostConfiguration, random: SeededRandom) {
        var random = random
        self.configuration = configuration
        fallbackAddress = DeviceAddress.randomStatic(using: &random)
        startUp = StartUp(configuration: configuration, fallbackAddress: fallbackAddress)
        transmitter = ACLTransmitter(
            fullMark: configuration.transmitQueueOctets, limit: configuration.transmitQueueLimit)
        database = AttributeDatabase(deviceName: configuration.deviceName, appearance: configuration.appearance)
    }

    /// The octets to which events refer.
    package var eventBytes: [UInt8] {
        get { attributeOutput.arena.octets }
        _modify { yield &attributeOutput.arena.octets }
    }

    /// The items to which `HostEvent.writeRequest` refers.
    package var eventItems: [ATTWriteItem] {
        get { attributeOutput.arena.writeItems }
        _modify { yield &attributeOutput.arena.writeItems }
    }

    /// The subscribers to which `HostEvent.value` refers.
    package var eventSubscribers: [UInt32] {
        get { attributeOutput.arena.subscribers }
        _modify { yield &attributeOutput.arena.subscribers }
    }

    /// Empties events and their arena, and keeps the capacity.
    package mutating func drainEvents() {
        events.empty()
        attributeOutput.arena.removeAll()
    }

    /// When the first command runs out of time.
    var nextCommandTimeout: Instant? { commandsChanged ? commands.deadline : commandDeadline }

    mutating func enqueue<C: HCICommand>(_ command: C, for purpose: CommandPurpose) {
        commandsChanged = true
        commands.enqueue(command, timeout: configuration.commandTimeout, purpose: purpose)
    }

    mutating func setState(_ new: HostState) {
        guard state != new else { return }
        state = new
        events.append(.stateChanged(new))
    }

    /// Emits a violation by the controller, or by the peer of `connection`, unless it repeats the last one.
    mutating func report(_ violation: ProtocolViolation, on connection: Connection? = nil) {
        if let connection {
            guard connection.lastViolation != violation else { return }
            connection.lastViolation = violation
        } else {
            guard lastViolation != violation else { return }
            lastViolation = violation
        }
        events.append(.protocolViolation(connection?.identifier, violation))
    }

    func connection(_ link: LinkIdentifier) -> Connection? {
        for connection in connections where connection.identifier == link { return connection }
        return nil
    }

    func connection(handle: UInt16) -> Connection? {
        for connection in connections where connection.handle == handle { return connection }
        return nil
    }
}
