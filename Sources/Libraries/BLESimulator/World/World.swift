import BLEAdapter
import BLEController
import BLEHostAdapter
import BLEVirtualRadio
import BLEWire
import Foundation

/// A simulated place with Bluetooth devices, their packets on the air, and virtual time.
///
/// ```swift
/// let world = World(seed: 1)
/// let phone = world.addDevice("phone")
/// let band = world.addDevice("wristband", at: Position(x: 2))
/// let peripheral = band.run { Wristband() }      // creates its CBPeripheralManager
/// let central = phone.run { Phone() }            // creates its CBCentralManager
/// await world.run(for: .seconds(10))
/// ```
///
/// Virtual time passes only while the world runs. It stands still until a delegate callback has returned, and until the devices
/// have processed all calls. Callbacks run one after another, on any queues. Two runs with the same seed are therefore equal to the
/// bit, if the program calls the managers from its callbacks or while the world stands still.
///
/// A callback must not wait for another callback. The main thread must not block while managers call delegates on the main queue:
/// use the asynchronous `run`, or `runBlocking`, which runs the main queue.
///
/// The world and its devices may be used from any thread.
public final class World: Sendable {
    /// The seed of every random draw in this world.
    public let seed: UInt64

    package let radio: VirtualRadioRuntime
    private let random: Lock<SeededRandom>
    /// The number of this world in the folder for captures, if there is one.
    private let recording: Int?
    private let attached = Lock<(any Sendable)?>(nil)

    /// Creates a world without devices at time zero.
    ///
    /// - Parameters:
    ///   - seed: Determines all random draws. Equal seeds give equal runs.
    ///   - pace: The ratio of virtual time to real time.
    ///   - environment: The propagation of signals.
    public convenience init(
        seed: UInt64 = 0, pace: Pace = .unlimited, environment: RadioEnvironment = RadioEnvironment()
    ) {
        self.init(seed: seed, pace: pace, environment: environment, threads: 1)
    }

    /// - Parameter threads: The number of threads, 1 to 64, that compute which devices receive the packets of beacons in a world of 256 devices
    ///   or more. The number does not change a run.
    package init(
        seed: UInt64, pace: Pace = .unlimited, environment: RadioEnvironment = RadioEnvironment(), threads: Int
    ) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        radio = VirtualRadioRuntime(
            seed: random.next(), configuration: environment.radioConfiguration, pace: pace.enginePace,
            threads: min(max(1, threads), 64))
        self.random = Lock(random)
        recording = CaptureFolder.shared?.record(radio, hasPace: pace != .unlimited)
    }

    deinit {
        radio.close()
        if let recording { CaptureFolder.shared?.finish(recording) }
    }

    /// Adds a device that is powered on.
    ///
    /// - Parameters:
    ///   - name: The GAP device name, which other devices read after connecting.
    ///   - position: The position.
    ///   - memory: The memory of an earlier run; nil creates an empty one. Use a memory for one device at a time.
    ///   - privateAddressInterval: The time after which the device changes its resolvable private address, 1 s to 1 h. Only
    ///     devices that have paired with it recognise the device then. Nil: the device has one address.
    ///   - agent: The user of the device during pairings, whom no other device has; nil pairs like a device without display
    ///     and keys. A program on the device can set an agent of its own with a `PairingManager`.
    ///   - platform: The values of a phone or a computer; nil is the same as `Platform()`. Its private addresses apply if `privateAddressInterval` is
    ///     nil.
    ///   - seed: Determines the random draws of the device, such as its address. A device that returns with its memory and its seed has its former
    ///     address. With nil the seed follows from that of the world and the number of devices before this one.
    public func addDevice(
        _ name: String, at position: Position = .origin, memory: DeviceMemory? = nil,
        privateAddressInterval: Duration? = nil, agent: ScriptedAgent? = nil, platform: Platform? = nil,
        seed: UInt64? = nil
    ) -> VirtualDevice {
        let seed = seed ?? random.withLock { $0.next() }
        let platform = platform ?? Platform()
        let interval = privateAddressInterval.map {
            min(max(TimeSpan($0), .seconds(1)), .seconds(3600))
        }
        let host = radio.addHost(
            named: name, seed: seed, at: position.radioPosition, store: memory?.store,
            privateAddressInterval: interval, platform: platform.values)
        return VirtualDevice(name: name, host: host, radio: radio, agent: agent, platform: platform)
    }

    /// An object that lives as long as the world, such as the programs of a world file. It must not retain the world.
    package var companion: (any Sendable)? {
        get { attached.withLock { $0 } }
        set { attached.withLock { $0 = newValue } }
    }

    /// Changes the propagation of signals.
    public func setEnvironment(_ environment: RadioEnvironment) {
        let configuration = environment.radioConfiguration
        radio.change { $0.radio.configuration = configuration }
    }

    /// Changes the propagation of signals, and keeps the present walls.
    package func setPropagation(_ environment: RadioEnvironment) {
        let propagation = environment.radioConfiguration
        radio.change { network in
            var configuration = propagation
            configuration.walls = network.radio.configuration.walls
            network.radio.configuration = configuration
        }
    }

    /// Removes a wall that is equal to `former`, and adds `wall`. Other walls stay.
    package func replaceWall(_ former: Wall?, by wall: Wall?) {
        let (former, wall) = (former?.radioWall, wall?.radioWall)
        radio.change { network in
            if let former, let index = network.radio.configuration.walls.firstIndex(of: former) {
                network.radio.configuration.walls.remove(at: index)
            }
            if let wall { network.radio.configuration.walls.append(wall) }
        }
    }

    /// The virtual time since the world began.
    public var now: Duration { radio.engine.currentTime.sinceOrigin }
}
