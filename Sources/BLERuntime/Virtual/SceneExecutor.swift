import BLEAdapter
import BLEWire
import Dispatch

/// The executor of one host on a virtual radio: the engine that all share, which also hears when this one wants to be
/// called next.
///
/// `@unchecked Sendable`: the scene is touched on the engine's queue alone.
final class SceneExecutor: AdapterExecutor, @unchecked Sendable {
    private let engine: VirtualTimeEngine
    private let number: Int
    private let door: SceneDoor

    init(_ engine: VirtualTimeEngine, _ door: SceneDoor, number: Int) {
        self.engine = engine
        self.door = door
        self.number = number
    }

    var now: Instant { engine.now }

    func submit(to core: Confined<HostDriver>, _ call: @escaping @Sendable (HostDriver) -> Void) {
        engine.submit {
            call(core.object)
            core.object.flush()
        }
    }

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { engine.deliver(on: queue, body) }

    func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        engine.deliver(handing: start)
    }

    func schedule(_ core: HostDriver, at deadline: Instant?) { door.scene?.wake(number, at: deadline) }
}

/// The way from the members of a scene back to it, which ends with the scene: without it they would hold each other for
/// ever. Not a weak reference, since that makes each mention of the scene slower, and it is mentioned at every step.
///
/// `@unchecked Sendable`: touched on the engine's queue alone.
final class SceneDoor: @unchecked Sendable {
    fileprivate(set) var scene: RadioScene?
    /// The hosts of others that were let in and have not gone, by their numbers.
    var hosts: [Int: ForeignHost] = [:]
    /// Whether the log says already that no more are let in.
    var saidFull = false

    init(_ scene: RadioScene) { self.scene = scene }

    /// Calls are no longer carried out, so the hosts' places are not freed one by one.
    func close() {
        scene = nil
        hosts.removeAll()
    }

    /// Ends the hosts of others that `condition` selects.
    func endHosts(where condition: (ForeignHost) -> Bool) {
        for host in hosts.values.filter(condition) { host.end() }
    }
}
