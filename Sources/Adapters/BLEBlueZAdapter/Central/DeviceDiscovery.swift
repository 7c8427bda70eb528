import BLETransport
import BLEWire
import Logging
import SystemBus

/// The discovery of this program at bluetoothd: the commands of `DiscoveryControl` as calls. Used on the adapter's scheduler.
final class DeviceDiscovery {
    private var control = DiscoveryControl()
    private let uplink: BlueZUplink
    private let scheduler: any SerialScheduler
    private let log: Logger
    /// The path of the adapter; nil unless it is powered on.
    private var adapter: String?
    /// Called when the deadline may have changed.
    var onAnswer: (() -> Void)?

    init(_ uplink: BlueZUplink, _ scheduler: any SerialScheduler, _ log: Logger) {
        (self.uplink, self.scheduler, self.log) = (uplink, scheduler, log)
    }

    var deadline: Instant? { control.deadline }

    func want(_ isWanted: Bool) { perform(control.want(isWanted)) }

    /// Takes a change of the adapter's property `Discovering`.
    func changed(_ isDiscovering: Bool) {
        log.debug("discovering \(isDiscovering)")
        control.discovering(isDiscovering, at: scheduler.now)
    }

    func handleTimeout() { perform(control.handleTimeout(at: scheduler.now)) }

    func begin(_ adapter: String) { self.adapter = adapter }

    /// bluetoothd or the adapter has gone.
    func end() {
        adapter = nil
        control.reset()
    }

    private func perform(_ command: DiscoveryControl.Command?) {
        switch command {
        case .start: call("SetDiscoveryFilter", [DiscoveryControl.filter]) { $0.filtered($1) }
        case .stop: call("StopDiscovery") { discovery, _ in discovery.perform(discovery.control.stopped()) }
        case nil: break
        }
    }

    private func call(
        _ member: String, _ arguments: [BusValue] = [],
        _ completion: @escaping (DeviceDiscovery, Result<BusMessage, BusCallError>) -> Void
    ) {
        guard let adapter else { return }
        uplink.bus?.call(BlueZ.service, adapter, BlueZ.adapter, member, arguments) { [weak self] result in
            guard let self else { return }
            completion(self, result)
            onAnswer?()
        }
    }

    private func filtered(_ result: Result<BusMessage, BusCallError>) {
        guard case .success = result else { return started(result) }
        call("StartDiscovery") { $0.started($1) }
    }

    /// Another program that starts its discovery at this moment is no error (InProgress).
    private func started(_ result: Result<BusMessage, BusCallError>) {
        log.debug("StartDiscovery: \(result.map { _ in "" })")
        perform(control.started((try? result.get()) != nil, at: scheduler.now))
    }
}
