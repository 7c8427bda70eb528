import Synchronization

/// Notices that a callback has given a program an earlier tick than the end of the present part of a run.
///
/// `@unchecked Sendable`: the room sets it up while the world stands still. The world's queue reads programs between callbacks, while the room waits.
final class TickWatch: @unchecked Sendable {
    private var devices: [SceneDevice] = []
    private var target: Int64 = 0
    private var callbackCount = -1

    func begin(_ devices: [SceneDevice], before target: Int64) {
        self.devices = devices
        self.target = target
        callbackCount = -1
    }

    /// - Parameter count: The number of callbacks of the world. Without a new one, no program has changed.
    func hasEarlierTick(_ count: Int) -> Bool {
        guard count != callbackCount else { return false }
        callbackCount = count
        for device in devices {
            if let tick = device.nextTick, tick < target { return true }
        }
        return false
    }
}

/// A flag that one queue sets and another thread reads.
final class StopFlag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
    func clear() { flag.store(false, ordering: .relaxed) }
}
