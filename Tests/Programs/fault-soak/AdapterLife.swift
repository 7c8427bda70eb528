import BLEAdapter
import BLEController
import BLECrypto
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLEStore
import BLETransport
import BLEWire
import CoreBluetooth
import Dispatch
import Foundation

/// The recovery of an adapter of the machine, in real time: it is unplugged, stops answering, is switched off, and
/// cannot be opened for a while. A manager has to see it powered on again each time.
struct AdapterLife {
    private(set) var problems: [String] = []
    private(set) var sentence = ""

    static func run(rounds: Int) -> AdapterLife {
        var life = AdapterLife()
        let source = AdapterStandIn()
        var configuration = HostConfiguration()
        configuration.commandTimeout = .milliseconds(100)
        var random = SeededRandom(seed: 1)
        let store = DeviceStore(key: StoreKey(using: &random))
        guard
            let adapter = try? ControllerSupervisor.adapter(
                for: source, seed: 1, configuration: configuration, store: store)
        else {
            life.problems.append("adapter: it could not be made")
            return life
        }
        let watcher = Watcher()
        let manager = AdapterBinding.$scoped.withValue(adapter) {
            CBCentralManager(delegate: watcher, queue: DispatchQueue(label: "watcher"))
        }
        defer { withExtendedLifetime(manager) {} }
        guard watcher.wait(for: .poweredOn, count: 1) else {
            life.problems.append("adapter: it was not powered on within 20 s")
            return life
        }
        for round in 0..<rounds {
            let before = watcher.count
            let way = round % 3
            switch way {
            case 0: source.unplug()
            case 1: source.unplug(refusingToOpen: 2)
            default: source.block()
            }
            if way == 2 {
                if !watcher.wait(for: .poweredOff, count: 1) {
                    life.problems.append("adapter: a blocked radio was not reported within 20 s")
                }
                source.unblock()
            }
            if !watcher.wait(for: .poweredOn, count: before + 1) {
                let ways = ["a loss", "a loss and two refusals", "a blocked radio"]
                life.problems.append("adapter: it did not come back within 20 s after \(ways[way])")
                break
            }
        }
        life.sentence = "adapter: \(rounds) losses, opened \(source.openings) times"
        return life
    }
}

/// Counts the changes of the adapter to powered on.
private final class Watcher: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private let states = Lock<(latest: CBManagerState, timesOn: Int)>((.unknown, 0))

    var count: Int { states.withLock { $0.timesOn } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let state = central.state
        states.withLock { states in
            states.latest = state
            if state == .poweredOn { states.timesOn += 1 }
        }
    }

    func wait(for state: CBManagerState, count: Int) -> Bool {
        for _ in 0..<2_000 {
            if states.withLock({ $0.latest == state && (state != .poweredOn || $0.timesOn >= count) }) { return true }
            // check-tests: wait: the pause between two looks at a condition with a deadline; this program has no other wait.
            usleep(10_000)
        }
        return false
    }
}

/// A replacement for an adapter of the machine: a socket to a virtual controller.
private final class AdapterStandIn: ControllerSource {
    private struct Content {
        var refusals = 0
        var isBlocked = false
        var openings = 0
        var controller: Controller?
        var changed: (queue: DispatchQueue, call: Call)?
    }
    /// Called only on its queue.
    private struct Call: @unchecked Sendable {
        let body: () -> Void
    }
    private struct Completion: @unchecked Sendable {
        let body: OpeningCompletion
    }

    let name = "hci0"
    let recoveryPolicy = RecoveryPolicy.systemAdapter
    private let content = Lock(Content())

    var openings: Int { content.withLock { $0.openings } }

    func open(on queue: DispatchQueue, _ completion: @escaping OpeningCompletion) {
        let done = Completion(body: completion)
        queue.async { [self] in
            let reason: ControllerOpeningError.Reason? = content.withLock { content in
                content.openings += 1
                if content.isBlocked { return .blocked }
                guard content.refusals > 0 else { return nil }
                content.refusals -= 1
                return .unavailable
            }
            if let reason { return done.body(.failure(ControllerOpeningError(reason, "The adapter is away."))) }
            var numbers: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &numbers) == 0 else {
                return done.body(.failure(ControllerOpeningError(.unavailable, "No socket.")))
            }
            let controller = Controller(numbers[1])
            content.withLock { $0.controller = controller }
            done.body(.success(TransportConnection(packetSocket: numbers[0], name: name)))
        }
    }

    func isBlocked() -> Bool { content.withLock { $0.isBlocked } }

    func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject? {
        let call = Call(body: changed)
        content.withLock { $0.changed = (queue, call) }
        return nil
    }

    func unplug(refusingToOpen refusals: Int = 0) {
        let controller = content.withLock { content in
            content.refusals = refusals
            return content.controller
        }
        controller?.close()
    }

    func block() { setBlocked(true) }
    func unblock() { setBlocked(false) }

    private func setBlocked(_ isBlocked: Bool) {
        let changed = content.withLock { content in
            content.isBlocked = isBlocked
            return content.changed
        }
        changed?.queue.async { changed?.call.body() }
    }
}

/// A virtual controller at the other end of the socket. Used only on its queue.
private final class Controller: @unchecked Sendable {
    private let queue = DispatchQueue(label: "controller")
    private let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    private let stream: DispatchStream

    init(_ number: Int32) {
        stream = DispatchStream(TransportConnection(packetSocket: number, name: "controller"), queue: queue)
        let identifier = radio.addController(
            ControllerConfiguration(publicAddress: DeviceAddress(kind: .public, value: 0xA1)))
        queue.async { [self] in
            var framer = H4Framer(reader: .controller)
            stream.onReceive = { [weak self] octets in
                // The source may release this controller while its stream is being read.
                guard let self else { return }
                framer.receive(octets) { radio.receive($0, for: identifier) }
                radio.advance(to: radio.now + .milliseconds(1))
                radio.drainOutput(of: identifier) { stream.send($0) }
            }
            stream.onClose = { _ in }
            stream.start()
        }
    }

    func close() { queue.async { [self] in stream.close() } }
}
