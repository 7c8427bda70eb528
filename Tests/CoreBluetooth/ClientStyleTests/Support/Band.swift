import BLESimulator
import CoreBluetooth
import ExamplePrograms

/// A world with a wristband in it and a phone for the client under test, which runs by itself at many times the real speed, as
/// clients that hop through tasks need it.
final class Band: @unchecked Sendable {
    let world = World(seed: 11, pace: .multiple(20))
    let phone: VirtualDevice
    let device: VirtualDevice
    private let queue = DispatchQueue(label: "wristband")
    private let wristband: WristbandPeripheral
    private let heart: any DispatchSourceTimer

    static var heartRate: CBUUID { CBUUID(string: "180D") }
    static var goalService: CBUUID { CBUUID(string: "5B1D0000-6F2E-4C0A-9B6A-2F1C0E4D7A10") }
    static var goal: CBUUID { CBUUID(string: "5B1D0001-6F2E-4C0A-9B6A-2F1C0E4D7A10") }
    static var measurement: CBUUID { CBUUID(string: "2A37") }
    static var location: CBUUID { CBUUID(string: "2A38") }

    init() {
        wristband = WristbandPeripheral(queue: queue)
        device = world.addDevice("Band", at: Position(x: 1))
        phone = world.addDevice("Phone")
        heart = DispatchSource.makeTimerSource(queue: queue)
        let wristband = wristband
        device.run { wristband.start() }
        heart.setEventHandler { wristband.beat() }
        heart.schedule(deadline: .now(), repeating: .milliseconds(10))
        heart.resume()
        world.start()
    }

    deinit {
        heart.cancel()
        world.stop()
    }

    var isSubscribedTo: Bool { queue.sync { subscribers > 0 } }
    private var subscribers = 0

    /// Notes when subscribers come and go.
    func watchSubscriptions() {
        queue.sync { wristband.onSubscription = { [weak self] in self?.subscribers = $0 ? 1 : 0 } }
    }

    var writtenGoal: UInt16 { queue.sync { wristband.goal } }
}
