import BLEAdapter
import BLETransport
import Dispatch
import SystemBus

extension BlueZAdapter {
    /// The adapter over the bluetoothd of this machine.
    ///
    /// - Parameters:
    ///   - name: The name of the adapter, such as `hci1`; nil for the first one.
    ///   - identification: The identifiers of devices on this host.
    ///   - report: Receives each new reason why the adapter cannot be used, and nil when it can, before the state changes.
    package convenience init(
        adapter name: String?, identification: any PeerIdentification,
        report: @escaping @Sendable (BlueZError?) -> Void
    ) {
        let queue = DispatchQueue(label: "bluetooth.bluez")
        // Half of the system calls of dispatch sources. The closures hold it.
        let group = try? PollingGroup(queue: queue) { serveStreams in
            serveStreams()
            return .unlimited
        }
        let system = SystemBluetooth.current
        self.init(
            adapter: name, identification: identification, scheduler: QueueScheduler(queue),
            surroundings: Surroundings(
                makeBus: { BusConnection(queue: queue, group: group) },
                makeSocket: { SystemValueSocket($0, queue: queue, group: group) },
                channels: KernelChannels(queue),
                blocks: { index in
                    switch system.radio(index) {
                    case .on: nil
                    case .softBlocked: .soft
                    case .hardBlocked: .hard
                    }
                }, links: { system.links(of: $0) }, watchSwitches: { RadioSwitchWatcher(queue: queue, $0) }),
            report: report)
    }
}

extension BlueZChannels: PeripheralChannels {}
