import BLEAttribute
import BLELink
import BLEWire

/// A Bluetooth LE host, sans-IO: packets of the controller, calls and the time go in; packets for the controller, events and the
/// next deadline come out. It joins the machines of this room and routes between them; what to do is decided in them.
///
/// After every call the driver sends and empties `outgoing`, and handles and empties `events` (`drainEvents`); at
/// `nextTimeout` it calls `handleTimeout`.
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
    /// The octets to which events refer.
    package var eventBytes: [UInt8] = []
    /// The items to which `HostEvent.writeRequest` refers.
    package var eventItems: [ATTWriteItem] = []
    /// The subscribers to which `HostEvent.value` refers.
    package var eventSubscribers: [UInt32] = []
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
    /// Set by whoever changes `commands`: there may be some to send, and another deadline. Most packets have nothing to do with
    /// commands.
    var commandsChanged = false
    private var commandDeadline: Instant?
    var transmitter: ACLTransmitter
    var connections: [Connection] = []
    var nextLink: UInt32 = 1
    /// How many links as central have not yet shown life.
    var unconfirmed = 0
    var scanner = Scanner()
    var advertiser = Advertiser()
    var connector = Connector(capacity: 1)
    /// Peers to connect to once their old link has ended: a controller refuses a second link to one peer.
    var postponed: [DeviceAddress] = []
    var isClearingStaleLink = false
    /// How many links the host learned of from nothing but their data, since it was last told of one.
    var unknownLinks = 0
    var lastViolation: ProtocolViolation?
    /// How many links have `usesChannels` set.
    var channelLinks = 0
    /// When the controller has kept its buffers full for too long; nil while it does not.
    var stallEnds: Instant?

    /// Reused by every bearer and signalling channel.
    var attributeOutput = ATTOutput()
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

    /// Empties events and their octets, and keeps the capacity.
    package mutating func drainEvents() {
        events.empty()
        eventBytes.empty()
        eventItems.empty()
        eventSubscribers.empty()
    }

    /// Ends a call from outside that may concern GAP: starts what has become due and moves packets out.
    mutating func finish(at now: Instant) {
        drive(at: now)
        pump(at: now)
    }

    /// Ends a call that is about data alone: moves packets out.
    mutating func pump(at now: Instant) {
        if commandsChanged { pumpCommands(at: now) }
        pumpData(at: now)
        if channelLinks > 0 {
            for connection in connections where connection.usesChannels { flushChannels(connection) }
        }
        watchCompletions(at: now)
        guard !transmitter.drained.isEmpty else { return }
        for index in transmitter.drained.indices {
            let slot = transmitter.drained[index]
            if let connection = connections.first(where: { $0.slot == slot }), !connection.isSilent {
                events.append(.transmitQueueDrained(connection.identifier))
            }
        }
        transmitter.drained.empty()
    }

    private mutating func pumpCommands(at now: Instant) {
        commands.pump(into: &outgoing, at: now)
        commandDeadline = commands.deadline
        commandsChanged = false
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

    /// Tells of a violation by the controller, or by the peer of `connection`, unless it repeats the last one.
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
