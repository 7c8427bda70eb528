import BLEAdapter
import BLEController
import BLERuntime
import BLEVirtualRadio
import BLEWire
import Foundation

/// Bluetooth devices on one virtual radio, simulated down to the packets on the air, in virtual time.
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
/// Virtual time passes only while the world runs. It stands still until a delegate callback has returned, and until the devices have
/// acted on all calls of the program. Callbacks come one after another, whatever
/// queues they run on. So two runs with the same seed are identical, to the bit, as long as the program calls the managers
/// from its callbacks or while the world stands still.
///
/// A callback must not wait for another callback, and the main thread must not be blocked while managers deliver to the
/// main queue: use the asynchronous `run`, or `runBlocking`, which keeps the main queue running. A callback cannot run its own
/// world: `runBlocking` ends the program there.
public final class World: Sendable {
    /// The seed of every random draw in this world.
    public let seed: UInt64

    package let radio: VirtualRadioRuntime
    private let random: Lock<SeededRandom>
    /// The number of this world in the folder for captures, if there is one.
    private let recording: Int?

    /// A world without devices, at time zero.
    ///
    /// - Parameters:
    ///   - seed: the same seed gives the same run, another seed another one.
    ///   - pace: how virtual time follows real time.
    ///   - environment: how radio waves travel.
    public init(seed: UInt64 = 0, pace: Pace = .unlimited, environment: RadioEnvironment = RadioEnvironment()) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        radio = VirtualRadioRuntime(
            seed: random.next(), configuration: environment.radioConfiguration, pace: pace.enginePace)
        self.random = Lock(random)
        recording = CaptureFolder.shared?.record(radio)
    }

    deinit {
        radio.close()
        if let recording { CaptureFolder.shared?.finish(recording) }
    }

    /// Adds a device, switched on.
    ///
    /// - Parameters:
    ///   - name: its GAP device name, which clients read after connecting.
    ///   - position: its position.
    ///   - memory: the memory of an earlier run; nil: an empty one. Use it for one device at a time.
    public func addDevice(
        _ name: String, at position: Position = .origin, memory: DeviceMemory? = nil
    ) -> VirtualDevice {
        let seed = random.withLock { $0.next() }
        let host = radio.addHost(named: name, seed: seed, at: position.radioPosition, store: memory?.store)
        return VirtualDevice(name: name, host: host, radio: radio)
    }

    /// Changes how radio waves travel.
    public func setEnvironment(_ environment: RadioEnvironment) {
        let configuration = environment.radioConfiguration
        radio.change { $0.radio.configuration = configuration }
    }

    /// The virtual time since the world began.
    public var now: Duration { radio.engine.currentTime.sinceOrigin }
}
