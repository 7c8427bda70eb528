import BLEAttribute
import BLELink
import BLESecurity
import BLEWire

/// A Bluetooth LE host, sans-IO. Its inputs are packets of the controller, calls and the time. Its outputs are packets
/// for the controller, events and the next deadline. It routes the inputs to the state machines of this target, which make the
/// decisions and write to `output`.
///
/// After every call the driver sends and empties `output.packets`, and handles and empties `output.events`. At `nextTimeout` it calls
/// `handleTimeout`.
///
/// It has more methods than other types of the protocol: each procedure of GAP, GATT and L2CAP that a driver may start is a call.
package struct HostStack: ~Copyable {
    package internal(set) var configuration: HostConfiguration
    /// The local attributes that every link serves. Call `databaseChanged` after a change.
    package var database: AttributeDatabase
    /// The services that accept credit-based channels, on every link.
    package var channelListeners: [CreditBasedListener] = []

    package var output: HostOutput
    var connections = ConnectionTable()
    var access: GenericAccess
    var security: SecurityCoordinator
    var lifecycle: HostLifecycle
    /// For delays of links.
    var random: SeededRandom

    /// - Parameter crypto: The cryptography of the Security Manager, with its source of keys. A host without it refuses
    ///   every pairing, has no bonds, and its database has no Database Hash.
    package init(configuration: HostConfiguration, random: SeededRandom, crypto: (any CryptoProvider)? = nil) {
        var random = random
        self.configuration = configuration
        output = HostOutput(configuration: configuration)
        access = GenericAccess(
            configuration: configuration, fallbackAddress: DeviceAddress.randomStatic(using: &random))
        security = SecurityCoordinator(crypto: crypto)
        lifecycle = HostLifecycle(configuration: configuration)
        database = AttributeDatabase(
            deviceName: configuration.deviceName, appearance: configuration.appearance, crypto: crypto,
            hasEnhancedBearers: configuration.enhancedBearers > 0)
        self.random = random
    }

    package var state: HostState { lifecycle.state }

    /// The identity address of this host; nil until the host is ready. Other devices see a private address
    /// instead if the host uses private addresses.
    package var ownAddress: DeviceAddress? { access.identityAddress }

    /// Settings of pairings that begin later.
    package var pairingSettings: PairingSettings {
        get { security.pairingSettings }
        _modify { yield &security.pairingSettings }
    }

    package var bonds: BondTable { security.bonds }

    /// The out-of-band data of pairings that begin later.
    package var outOfBand: OutOfBandTable { security.outOfBand }

    /// Ends a call that may change GAP state. Starts the commands that are due and moves packets to `output.packets`.
    mutating func finish(at now: Instant) {
        drive(at: now)
        output.pump(connections, at: now)
    }

    /// Sends the next commands of the roles.
    private mutating func drive(at now: Instant) {
        guard lifecycle.isRunning || lifecycle.isStopping else { return }
        access.drive(isRunning: lifecycle.isRunning, at: now, &output)
        stopIfQuiet(at: now)
    }

    /// Does what a call of `security` has caused elsewhere.
    mutating func settleSecurity() {
        security.withdrawUsedData(connections)
        if security.takeBondChange(), lifecycle.isRunning { access.privacy.update(&security, lifecycle.capabilities) }
    }
}
