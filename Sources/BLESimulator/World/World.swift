import BLEAdapter
import BLEController
import BLERuntime
import BLEWire
import Foundation

/// A place with Bluetooth devices in it, simulated down to the packets on the air, in a time of its own.
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
/// Virtual time passes only while the world runs. It stands still while a delegate callback has not returned, and
/// everything that was asked of a device is carried out before time goes on; callbacks come one after another, whatever
/// queues they run on. So two runs with the same seed are the same, to the bit, as long as the program calls the managers
/// from its callbacks or while the world stands still.
///
/// A callback must not wait for another callback, and the main thread must not be blocked while managers deliver to the
/// main queue: use the asynchronous `run`, or `runBlocking`, which keeps the main queue going.
public final class World: Sendable {
    /// The seed of every random draw in this world.
    public let seed: UInt64

    package let stage: VirtualStage
    private let random: Lock<SeededRandom>
    /// In the folder for captures of all worlds, if there is one.
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
        stage = VirtualStage(seed: random.next(), configuration: environment.radioConfiguration, pace: pace.enginePace)
        self.random = Lock(random)
        recording = CaptureFolder.shared?.record(stage)
    }

    deinit {
        stage.close()
        if let recording { CaptureFolder.shared?.finish(recording) }
    }

    /// Puts a device into the world, switched on.
    ///
    /// - Parameters:
    ///   - name: its GAP device name, which others read after connecting.
    ///   - position: where it is.
    ///   - memory: what it knows from an earlier run; nil: nothing. Use it for one device at a time.
    public func addDevice(
        _ name: String, at position: Position = .origin, memory: DeviceMemory? = nil
    ) -> VirtualDevice {
        let seed = random.withLock { $0.next() }
        let member = stage.addDevice(named: name, seed: seed, at: position.radioPosition, store: memory?.store)
        return VirtualDevice(name: name, member: member, stage: stage)
    }

    /// Changes how radio waves travel, from now on.
    public func setEnvironment(_ environment: RadioEnvironment) {
        let configuration = environment.radioConfiguration
        stage.change { $0.radio.configuration = configuration }
    }

    /// The virtual time since the world began.
    public var now: Duration { stage.engine.currentTime.sinceOrigin }
}
