import BLESimulator
import BLEVirtualRadio
import Dispatch

/// Steps a world every 5 ms of real time. What a program behind a socket does is not always in a step of the world, after which the
/// conditions of runs are evaluated.
final class Heartbeat: Sendable {
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    init(_ world: World) {
        timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(5))
        timer.setEventHandler { [weak world] in world?.radio.change { _ in } }
        timer.resume()
    }

    deinit { timer.cancel() }
}
