import BLEAdapter
import BLETransport
import BLEWire
import Logging
import Synchronization
import SystemBus

/// The peripheral role over bluetoothd: local services (org.bluez.GattManager1), their clients, and advertising
/// (org.bluez.LEAdvertisingManager1).
///
/// How subscriptions are told: bluetoothd offers a program two ways, and tries AcquireNotify first. With StartNotify and StopNotify it
/// names no device, and of several subscribers it does not tell that one has left. AcquireNotify comes for each subscriber, with its device
/// and ATT_MTU, and its socket closes when that subscriber leaves. This holds from 5.69 on.
///
/// Older versions have one socket for all subscribers, and tell of the first alone. There, this role reads the device of each AcquireNotify
/// and refuses it: bluetoothd then calls StartNotify, and asks again for the next subscriber. So no subscriber is missed. What is missed is
/// one that leaves while another stays; the end of its link ends its subscription in any case.
///
/// How values go: before 5.76, a value on the socket of one subscriber reaches all of them. So there they go as changes of the property
/// Value, one signal for all. Newer versions get them on the sockets, for all subscribers or for chosen ones.
///
/// Writes come by WriteValue. bluetoothd offers a socket for them as well, which tells no offset, takes no answer, and loses what it has no
/// room for.
///
/// `@unchecked Sendable`: used on `scheduler`, apart from `open`, whose number is atomic.
final class PeripheralRole: BlueZRole, @unchecked Sendable {
    struct Session {
        weak var observer: (any PeripheralObserver)?
        let updates: UpdateQueue
        /// The observer has its first state.
        var isReported = false
    }

    struct Application {
        let application: PublishedApplication
        var exports: [BusCancellable]
    }

    /// The socket of a subscription.
    struct Pipe {
        let socket: any ValueSocket
        let number: Int
        /// A value that others got and this one had no room for.
        var waiting: [UInt8]?
    }

    /// What the log says once.
    enum Note { case choice, latency }

    /// Makes a socket, and the end for bluetoothd; nil if the process has no descriptors left.
    typealias PipeMaker = () -> (any ValueSocket, Descriptor)?

    let scheduler: any SerialScheduler
    let snapshot: RemoteSnapshot
    let log: Logger
    let makePipe: PipeMaker
    /// Sessions are refused channels without it.
    var channels: (any PeripheralChannels)?
    private let count = Atomic(0)

    private(set) var state = AdapterState.unknown
    var connection: PeripheralConnection?
    private var numbers = 0
    var sessions: [Int: Session] = [:]
    var services = PublishedServices() {
        didSet { if services.isEmpty != oldValue.isEmpty { onServices?() } }
    }
    /// Called when `hasServices` has changed.
    var onServices: (() -> Void)?
    var hasServices: Bool { !services.isEmpty }
    var applications: [Int: Application] = [:]
    var clients = PeripheralClients()
    var subscriptions = PublishedSubscriptions()
    var pipes: [PublishedSubscriptions.Subscription: Pipe] = [:]
    var requests = PublishedRequests()
    let advertising: PeripheralAdvertising
    /// The session of each SPSM.
    var publishedChannels: [UInt16: Int] = [:]
    private var noted: Set<Note> = []

    init(scheduler: any SerialScheduler, snapshot: RemoteSnapshot, log: Logger, makePipe: @escaping PipeMaker) {
        self.scheduler = scheduler
        self.snapshot = snapshot
        self.log = log
        advertising = PeripheralAdvertising(scheduler: scheduler, log: log)
        self.makePipe = makePipe
        advertising.onAnswer = { [weak self] in self?.observer($0)?.advertisingStarted($1) }
    }

    // MARK: Sessions

    /// Opens a session, on any thread. Its observer gets the state 10 ms later.
    func open(observer: any PeripheralObserver) -> any PeripheralSession {
        let number = count.add(1, ordering: .relaxed).newValue
        let updates = UpdateQueue()
        scheduler.submit { [weak self, weak observer] in
            guard let self, let observer else { return }
            sessions[number] = Session(observer: observer, updates: updates)
            scheduler.submit(after: RemoteCentral.firstStateDelay) { [weak self] in
                guard let self, sessions[number] != nil else { return }
                sessions[number]?.isReported = true
                if state != .unknown { sessions[number]?.observer?.adapterStateChanged(state) }
            }
        }
        return PeripheralRoleSession(of: self, number: number, updates: updates)
    }

    func close(_ number: Int) {
        advertising.stop(number)
        for (psm, session) in publishedChannels where session == number { closeChannel(psm) }
        for request in requests.takeAll(where: { $0.session == number }) {
            request.call.fail(RequestFailure.unlikely, "The program has ended its service.")
        }
        remove(of: number) { _ in true }
        sessions[number] = nil
    }

    func observer(_ session: Int) -> (any PeripheralObserver)? { sessions[session]?.observer }

    // MARK: The adapter

    func begin(on bus: any Bus, adapter: String, _ objects: BlueZObjects) {
        let name = adapter.split(separator: "/").last ?? "adapter"
        let connection = PeripheralConnection(
            bus: bus, adapter: adapter, base: "/corebluetooth/\(name)",
            hasPipes: objects.properties(adapter, BlueZ.adapter)?["Manufacturer"] != nil, generation: nextNumber())
        for device in objects.devices(of: adapter) where device.isConnected {
            _ = clients.connect(device, snapshot.identification)
        }
        self.connection = connection
        report(.poweredOn)
        perform(services.begin())
        advertising.begin(on: connection)
    }

    func end(_ state: AdapterState) {
        let forgetsServices = state != .poweredOff
        // bluetoothd keeps applications while the adapter is off. On a bus that has ended, the calls fail.
        for number in applications.keys.sorted() { unregister(number) }
        // As on our own host, a session that loses its services gets no further event about them.
        let ended = subscriptions.removeAll()
        closePipes(ended)
        if !forgetsServices { for subscription in ended { announce(subscription, isSubscribed: false) } }
        clients.removeAll()
        requests.removeAll()
        for (psm, _) in publishedChannels { closeChannel(psm) }
        for number in sessions.keys.sorted() where sessions[number]?.updates.reset() == true {
            observer(number)?.readyToUpdate()
        }
        perform(services.end(forgetsServices: forgetsServices))
        advertising.end(forgetsAdvertisements: forgetsServices)
        connection = nil
        report(state)
    }

    private func report(_ state: AdapterState) {
        guard state != self.state else { return }
        self.state = state
        for number in sessions.keys.sorted() where sessions[number]?.isReported == true {
            observer(number)?.adapterStateChanged(state)
        }
    }

    func apply(_ change: BlueZObjects.Change, _ objects: BlueZObjects) {
        guard let connection else { return }
        switch change {
        case .changed(_, BlueZ.device, let names) where !names.contains("Connected"): break
        case .added(let path, BlueZ.device), .changed(let path, BlueZ.device, _):
            guard path.isPath(below: connection.adapter), let device = objects.device(path) else { return }
            device.isConnected ? connected(device) : disconnected(path, isBonded: device.isBonded)
        case .removed(let path, BlueZ.device):
            disconnected(path, isBonded: false)
            subscriptions.forget(path)
        default: break
        }
    }

    private func connected(_ device: BlueZDevice) {
        guard clients.connect(device, snapshot.identification) else { return }
        for key in subscriptions.connected(device.path, isBonded: device.isBonded) {
            announce(.init(key: key, device: device.path), isSubscribed: true)
        }
    }

    private func disconnected(_ device: String, isBonded: Bool) {
        guard clients[device] != nil else { return }
        let (ended, mistaken) = subscriptions.disconnected(device, isBonded: isBonded, at: scheduler.now)
        for key in ended {
            let subscription = PublishedSubscriptions.Subscription(key: key, device: device)
            closePipes([subscription])
            announce(subscription, isSubscribed: false)
        }
        clients.disconnect(device)
        for subscription in mistaken where clients[subscription.device] != nil && subscriptions.add(subscription) {
            announce(subscription, isSubscribed: true)
        }
        flushAll()
    }

    // MARK: Helpers

    /// Whether an answer belongs to bluetoothd as it is.
    func isCurrent(_ generation: Int) -> Bool { connection?.generation == generation }

    func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    func logOnce(_ note: Note, _ sentence: String) {
        if noted.insert(note).inserted { log.warning("\(sentence)") }
    }
}
