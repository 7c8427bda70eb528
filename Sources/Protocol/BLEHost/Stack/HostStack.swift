import BLEAttribute
import BLELink
import BLESecurity
import BLEWire

/// A Bluetooth LE host, sans-IO. Its inputs are packets of the controller, calls and the time. Its outputs are packets
/// for the controller, events and the next deadline. It connects the state machines of this target and routes data
/// between them; the machines make the decisions.
///
/// After every call the driver sends and empties `outgoing`, and handles and empties `events` (`drainEvents`). At
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

    package internal(set) var configuration: HostConfiguration
    /// Whole H4 packets for the controller, in order. The driver sends them and empties the array, keeping its
    /// capacity.
    package var outgoing: [UInt8] = []
    package var events: [HostEvent] = []
    /// The end of an operation, if it is the first event and `separatesCompletion` is set. It precedes `events`.
    package internal(set) var completion: HostCompletion?
    /// The same for a read whose value is in `eventBytes`.
    package internal(set) var read: HostReadCompletion?
    /// Whether `completion` and `read` are used. Most calls end one operation and nothing else, which costs less apart from the other events.
    package var separatesCompletion = false
    /// The local attributes that every link serves. Call `databaseChanged` after a change.
    package var database: AttributeDatabase
    /// The services that accept credit-based channels, on every link.
    package var channelListeners: [CreditBasedListener] = []
    package internal(set) var state: HostState = .off
    /// The identity address of this host; nil until the host is ready. Other devices see `privacy.manager.appliedAddress` or an
    /// address of the controller's resolving list instead if the host uses private addresses.
    package internal(set) var ownAddress: DeviceAddress?

    var phase = Phase.off
    let fallbackAddress: DeviceAddress
    var capabilities = ControllerCapabilities()
    var failures = 0
    var lastFailure: Instant?

    var commands = CommandQueue<CommandPurpose>()
    /// Whether `commands` changed: there may be commands to send and a new deadline. Most packets skip that work.
    var commandsChanged = false
    var commandDeadline: Instant?
    var transmitter: ACLTransmitter
    var connections: [Connection] = []
    var nextLink: UInt32 = 1
    /// The number of links that are `unconfirmed`.
    var unconfirmed = 0
    /// The number of links on which the peer has not acknowledged the last PDU of a pairing yet.
    var undelivered = 0
    var scanner = Scanner()
    var advertiser = Advertiser()
    var initiator = ConnectionInitiator(capacity: 1)
    /// Nil while this host uses its identity address and has no bond whose addresses change. Such a host pays nothing for
    /// private addresses.
    var privacy: PrivacyReference?
    /// The private addresses of peers that the controller has because it does not resolve them: in its accept list, by
    /// identity, and in the last LE Create Connection.
    var listedAddresses: [DeviceAddress: DeviceAddress] = [:]
    var targetAddress: DeviceAddress?
    /// Whether bonds or addresses of peers changed since the last command was chosen. The work is due at once.
    var isPrivacyDue = false
    /// Peers to connect to after their old link has ended. A controller refuses a second link to the same peer.
    var postponed: [DeviceAddress] = []
    var isClearingStaleLink = false
    /// The number of links that had data but no connection complete event, since the last such event.
    var unknownLinks = 0
    var lastViolation: ProtocolViolation?
    var violationCount = 0
    /// The number of links with `usesChannels` set.
    var channelLinks = 0
    /// The time at which the controller has kept its buffers full for too long; nil while they are not full.
    var stallEnds: Instant?

    /// Nil if this host cannot pair.
    var crypto: (any CryptoProvider)?
    package internal(set) var bonds = BondTable()
    /// Settings of pairings that begin later.
    package var pairingSettings = PairingSettings()
    /// The failures of peers that are not connected.
    var failedAttempts = FailedAttemptsTable()

    /// Shared by all bearers. Its arena is that of the host's events: a bearer stores values where the driver reads
    /// them.
    var attributeOutput = ATTOutput()
    /// Shared by all signalling channels.
    var signalOutput: [UInt8] = []

    /// - Parameter crypto: The cryptography of the Security Manager, with its source of keys. A host without it refuses
    ///   every pairing, has no bonds, and its database has no Database Hash.
    package init(configuration: HostConfiguration, random: SeededRandom, crypto: (any CryptoProvider)? = nil) {
        _ = Connection.types
        var random = random
        self.configuration = configuration
        self.crypto = crypto
        fallbackAddress = DeviceAddress.randomStatic(using: &random)
        transmitter = ACLTransmitter(
            fullMark: configuration.transmitQueueOctets, limit: configuration.transmitQueueLimit)
        database = AttributeDatabase(
            deviceName: configuration.deviceName, appearance: configuration.appearance, crypto: crypto)
    }

    // State that most hosts do not have at most times is apart, so that an idle device stays small.
    private indirect enum Boxed<Value: Sendable>: Sendable {
        case value(Value)
    }
    private var startUpState: Boxed<StartUp>?
    private var outOfBandState: Boxed<OutOfBandTable>?

    /// The start-up sequence.
    var startUp: StartUp {
        get {
            if case .value(let value)? = startUpState { return value }
            return StartUp(
                configuration: configuration, fallbackAddress: fallbackAddress, hasCryptography: crypto != nil)
        }
        set { startUpState = .value(newValue) }
    }

    /// Releases the state of a start-up sequence that has ended.
    mutating func endStartUp() { startUpState = nil }

    /// The out-of-band data of pairings that begin later.
    package internal(set) var outOfBand: OutOfBandTable {
        get { if case .value(let value)? = outOfBandState { value } else { OutOfBandTable() } }
        set { outOfBandState = newValue.isEmpty ? nil : .value(newValue) }
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

    /// Whether there are events, with `completion` and `read`.
    package var hasEvents: Bool { completion != nil || read != nil || !events.isEmpty }

    /// Removes and returns the end of an operation that precedes `events`. The value of a read gets an array.
    package mutating func takeCompletion() -> HostCompletion? {
        guard let done = read.take() else { return completion.take() }
        let value = attributeOutput.arena.copy(done.value)
        return HostCompletion(link: done.link, id: done.id, result: .success(.value(value)))
    }

    /// Empties events and their arena. Both keep their capacity.
    package mutating func drainEvents() {
        if completion != nil { completion = nil }
        read = nil
        events.empty()
        attributeOutput.arena.removeAll()
    }

    /// The time at which the first command times out.
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

    /// The violations of a link, and those of a controller until its next start, that are reported. One that alternates between two would otherwise
    /// fill the log.
    static let violationLimit = 32

    /// Emits a violation by the controller, or by the peer of `connection`, unless it repeats the last one.
    mutating func report(_ violation: ProtocolViolation, on connection: Connection? = nil) {
        if let connection {
            guard connection.lastViolation != violation, connection.violationCount < Self.violationLimit else { return }
            connection.lastViolation = violation
            connection.violationCount += 1
        } else {
            guard lastViolation != violation, violationCount < Self.violationLimit else { return }
            lastViolation = violation
            violationCount += 1
        }
        events.append(.protocolViolation(connection?.identifier, violation))
    }

    func connection(_ link: LinkIdentifier) -> Connection? {
        // By index: a loop over the elements would retain the array.
        for index in connections.indices where connections[index].identifier == link { return connections[index] }
        return nil
    }

    func connection(handle: UInt16) -> Connection? {
        for index in connections.indices where connections[index].handle == handle { return connections[index] }
        return nil
    }
}
