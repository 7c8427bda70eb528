import BLETransport
import BLEWire
import SystemBus

/// The connection to bluetoothd, which it opens again after each loss, and the mirror of bluetoothd's objects.
///
/// Threads: everything runs on the scheduler.
final class BlueZUplink: @unchecked Sendable {
    /// The seconds before each further attempt to reach the bus.
    private static let retryDelays = [1, 2, 5, 10, 30]
    /// The time before bluetoothd is asked again for its objects.
    private static let reloadDelay = TimeSpan.seconds(5)
    /// The time in which bluetoothd has to tell its objects.
    private static let loadTimeout = TimeSpan.seconds(30)

    /// Called after each change of the state, the adapter or the reason.
    var onState: (() -> Void)?
    /// Called for each change of an object.
    var onChange: ((BlueZObjects.Change) -> Void)?
    /// Called for each value of a characteristic that bluetoothd reports.
    var onValue: ((_ path: String, [UInt8]) -> Void)?
    /// Called when a device's link ends, with the reason, before its `Connected` changes. Versions before 5.83 do not call.
    var onReason: ((_ path: String, _ reason: String) -> Void)?
    /// Called when the bus takes messages again.
    var onDrain: (() -> Void)?

    private(set) var bus: (any Bus)?
    private(set) var objects = BlueZObjects()
    private(set) var watch: AdapterWatch
    private let makeBus: () -> any Bus
    private let scheduler: any SerialScheduler
    private let blocks: (UInt16) -> AdapterWatch.Block?
    private let links: (UInt16) -> RadioLinks?
    private var service = AdapterWatch.Service.unknown
    private var attempts = 0
    /// The number of connections and of owners of bluetoothd's name, so that late answers are known.
    private var generation = 0
    private var hadOwner = false

    init(
        adapter name: String?, scheduler: any SerialScheduler, blocks: @escaping (UInt16) -> AdapterWatch.Block?,
        links: @escaping (UInt16) -> RadioLinks?,
        makeBus: @escaping () -> any Bus
    ) {
        watch = AdapterWatch(name: name)
        self.scheduler = scheduler
        self.blocks = blocks
        self.links = links
        self.makeBus = makeBus
    }

    deinit { bus?.close() }

    func start() {
        generation += 1
        let bus = makeBus()
        self.bus = bus
        bus.onReady = { [weak self] _ in self?.attempts = 0 }
        bus.onClose = { [weak self] error in self?.lose(error) }
        bus.onDrain = { [weak self] in self?.onDrain?() }
        bus.subscribe(BusMatch(sender: BlueZ.service), completion: nil) { [weak self] in self?.receive($0) }
        bus.watchName(BlueZ.service) { [weak self] owner in self?.ownerChanged(owner) }
    }

    private func lose(_ error: BusCallError) {
        bus = nil
        generation += 1
        set(.failed(.bus(error)))
        let delay = Self.retryDelays[min(attempts, Self.retryDelays.count - 1)]
        attempts += 1
        scheduler.submit(after: .seconds(delay)) { [weak self] in self?.start() }
    }

    private func set(_ new: AdapterWatch.Service) {
        service = new
        if new != .running { objects.removeAll() }
        update()
    }

    /// Takes what may have changed, such as a switch of the radio.
    func update() {
        let (state, failure, path) = (watch.state, watch.failure, watch.path)
        watch.update(service, objects, blocks: blocks)
        readLinks()
        if watch.state != state || watch.failure != failure || watch.path != path { onState?() }
    }

    /// Takes the links that the kernel has now.
    func readLinks() {
        objects.links = watch.path.flatMap { AdapterWatch.index($0) }.flatMap(links)
    }

    // MARK: bluetoothd

    private func ownerChanged(_ owner: String?) {
        generation += 1
        guard owner == nil else {
            hadOwner = true
            return load(generation)
        }
        // What an administrator stopped is not started again.
        if hadOwner { set(.failed(.gone)) } else { startService() }
    }

    /// Asks the bus to start bluetoothd, as each call to it would.
    private func startService() {
        let number = generation
        bus?.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
            [.string(BlueZ.service), .uint32(0)]
        ) { [weak self] result in
            guard let self, case .failure(let error) = result, number == generation else { return }
            switch error {
            case .error(BusCallError.Name.accessDenied, _): set(.failed(.refused))
            case .error(let name, _): set(.failed(.notRunning(String(name.split(separator: ".").last ?? ""))))
            default: set(.failed(.notRunning("\(error)")))
            }
        }
    }

    /// Asks for all objects. What bluetoothd reports before its answer is part of the answer.
    private func load(_ number: Int) {
        guard number == generation else { return }
        let call = BusMessage.call(BlueZ.service, "/", BlueZ.objectManager, "GetManagedObjects")
        bus?.call(call, timeout: Self.loadTimeout) { [weak self] result in
            guard let self, number == generation else { return }
            switch result.map({ $0.body.first?.managedObjects }) {
            case .success(let all?):
                objects.replace(all)
                set(.running)
                return
            case .failure(.error(BusCallError.Name.accessDenied, _)): set(.failed(.refused))
            case .success(nil), .failure: set(.failed(.silent))
            }
            scheduler.submit(after: Self.reloadDelay) { [weak self] in self?.load(number) }
        }
    }

    private func receive(_ message: BusMessage) {
        guard service == .running, let path = message.path else { return }
        if message.member == "Disconnected", [BlueZ.device, BlueZ.bearerLE].contains(message.interface) {
            if let reason = message.body.first?.text { onReason?(path, reason) }
            return
        }
        guard let change = BusObjectChange(message) else { return }
        if case .changed(_, BlueZ.characteristic, let properties, _) = change, let value = properties["Value"]?.bytes {
            onValue?(path, Array(value.prefix(ATT.maximumValueLength)))
        }
        if change.mayBeLink { readLinks() }
        for change in objects.apply(change) {
            switch change {
            case .added(_, BlueZ.adapter), .changed(_, BlueZ.adapter, _), .removed(_, BlueZ.adapter): update()
            default: break
            }
            onChange?(change)
        }
    }
}

extension BusObjectChange {
    /// Whether a link of a device may have begun or ended.
    fileprivate var mayBeLink: Bool {
        switch self {
        case .added(_, let interfaces): interfaces[BlueZ.device]?["Connected"]?.flag == true
        case .changed(_, BlueZ.device, let properties, _):
            properties["Connected"] != nil || properties["ServicesResolved"] != nil
        case .changed, .removed: false
        }
    }
}
