internal import BLERuntime
import BLEAdapter
import BLEWire
public import Dispatch
public import Foundation

/// Monitors regions of iBeacons and ranges the beacons in them.
///
/// The scanner uses the virtual device in whose `VirtualDevice.run` it is created, and the clock of its world; elsewhere the adapter that a
/// `CBCentralManager` uses, which it opens when something is monitored or ranged for the first time. Its release ends its scan.
///
/// ```swift
/// let scanner = BeaconScanner { event in
///     if case .ranged(_, let beacons) = event { print(beacons.map(\.proximity)) }
/// }
/// scanner.startRanging(BeaconRegion(uuid: doors))
/// ```
///
/// The scanner may be used from any thread.
public final class BeaconScanner: Sendable {
    /// What the scanner reports.
    public enum Event: Hashable, Sendable {
        /// Whether the program is in a monitored region, for the first time since monitoring began or since Bluetooth was turned on. At
        /// once if a beacon of the region is heard, and otherwise after 3 s.
        case determined(BeaconRegion, isInside: Bool)
        /// The program entered a monitored region: one of its beacons is heard.
        case entered(BeaconRegion)
        /// The program left a monitored region: none of its beacons was heard for 30 s.
        case left(BeaconRegion)
        /// The beacons of a ranged region, once a second, the nearest one first and those without a distance last. A beacon that was not
        /// heard in the last second has neither distance nor signal strength, and after 5 s it is not reported any more.
        case ranged(BeaconRegion, [RangedBeacon])
        /// Bluetooth was turned on. The scanner begins anew.
        case available
        /// Bluetooth is not on, or the program cannot use it. Reports follow when it is turned on.
        case unavailable
    }

    private struct Content {
        var scan = BeaconScan()
        /// Nil until something is monitored or ranged.
        var session: (any CentralSession)?
        var isScanning = false
        /// The deadline of the timer; nil without one.
        var timer: Duration?
        /// Whether a call of `deliver` is on its way.
        var isDelivering = false
    }

    /// Identifies the virtual device in whose `VirtualDevice.run` the caller is; nil elsewhere. It is valid as long as a scanner of the
    /// device exists.
    public static var scope: ObjectIdentifier? { AdapterBinding.scoped.map { ObjectIdentifier($0) } }

    /// The queue on which the scanner reports events.
    public let queue: DispatchQueue
    private let onEvent: @Sendable (Event) -> Void
    /// The virtual device; nil for the adapter of the process.
    private let scoped: (any BluetoothAdapter)?
    private let clock: QueueClock
    /// The date at the zero of `clock`.
    private let origin = Date()
    private let content = Lock(Content())

    /// Creates a scanner that does nothing yet.
    ///
    /// - Parameters:
    ///   - queue: A serial queue for the events. Nil is the main queue, and inside `VirtualDevice.run` a queue of the scanner.
    ///   - onEvent: Called on the queue with each event. A program that is late by 256 events loses the oldest. In a world, time stands
    ///     still meanwhile.
    public init(queue: DispatchQueue? = nil, onEvent: @escaping @Sendable (Event) -> Void) {
        let scoped = AdapterBinding.scoped
        self.scoped = scoped
        self.queue = queue ?? (scoped == nil ? .main : DispatchQueue(label: "bluetooth.beacons"))
        self.onEvent = onEvent
        clock = scoped?.callbackScheduler?.makeQueueClock() ?? QueueClock(ContinuousClock())
    }

    /// Whether Bluetooth is on; nil while that is not known, as before something is monitored or ranged.
    public var isAvailable: Bool? { content.withLock { $0.scan.isAvailable } }

    /// The date, which in a world follows virtual time from the scanner's creation on.
    public var date: Date { origin.addingTimeInterval(clock.now / .seconds(1)) }

    /// Reports whether the program is in the region, and when it enters or leaves it. Has no effect if the region is monitored already.
    public func startMonitoring(_ region: BeaconRegion) {
        let now = clock.now
        change { $0.startMonitoring(region, at: now) }
        perform { [weak self] in self?.update() }
    }

    /// Ends the reports about a region. Those that wait for the queue still come.
    public func stopMonitoring(_ region: BeaconRegion) {
        change { $0.stopMonitoring(region) }
        perform { [weak self] in self?.update() }
    }

    /// Whether the program is in a monitored region. Nil if the region is not monitored or if that is not known.
    public func isInside(_ region: BeaconRegion) -> Bool? { content.withLock { $0.scan.isInside(region) } }

    /// Reports the beacons of the region once a second. Has no effect if the region is ranged already.
    public func startRanging(_ region: BeaconRegion) {
        let now = clock.now
        change { $0.startRanging(region, at: now) }
        perform { [weak self] in self?.update() }
    }

    /// Ends the reports of beacons of a region. Those that wait for the queue still come.
    public func stopRanging(_ region: BeaconRegion) {
        change { $0.stopRanging(region) }
        perform { [weak self] in self?.update() }
    }

    /// Runs `body` on the queue, in order among the events. In a world, time stands still until it returns.
    public func perform(_ body: @escaping @Sendable () -> Void) {
        if let scheduler = scoped?.callbackScheduler {
            scheduler.scheduleCallback(body, on: queue)
        } else {
            queue.async(execute: body)
        }
    }

    // MARK: Implementation

    /// Opens the session when it is needed, and starts or ends its scan. Runs on the queue, so that the calls have an order.
    private func update() {
        enum Command {
            case open
            case start(any CentralSession)
            case stop(any CentralSession)
        }
        let command = content.withLock { content -> Command? in
            guard let session = content.session else { return content.scan.isNeeded ? .open : nil }
            let wantsScan = content.scan.isNeeded && content.scan.isAvailable == true
            guard wantsScan != content.isScanning else { return nil }
            content.isScanning = wantsScan
            return wantsScan ? .start(session) : .stop(session)
        }
        switch command {
        case .open:
            let session = (scoped ?? AdapterBinding.current()).openCentral(observer: self)
            content.withLock { $0.session = session }
            // The first state may have come before the session was stored.
            update()
        case .start(let session): session.startScan(ScanRequest(allowDuplicates: true))
        case .stop(let session): session.stopScan()
        case nil: break
        }
    }

    /// Changes the state, and sees to its events and its next deadline.
    private func change(_ body: (inout BeaconScan) -> Void) {
        let (hasEvents, deadline) = content.withLock { content -> (Bool, Duration?) in
            body(&content.scan)
            let hasEvents = content.scan.hasEvents && !content.isDelivering
            if hasEvents { content.isDelivering = true }
            // One timer at most for each deadline: a later deadline waits for the timer that exists.
            guard let deadline = content.scan.nextDeadline, content.timer.map({ deadline < $0 }) ?? true else {
                return (hasEvents, nil)
            }
            content.timer = deadline
            return (hasEvents, deadline)
        }
        if hasEvents { perform { [weak self] in self?.deliver() } }
        if let deadline { clock.schedule(at: deadline, on: queue) { [weak self] in self?.reached(deadline) } }
    }

    private func reached(_ deadline: Duration) {
        let isCurrent = content.withLock { content in
            guard content.timer == deadline else { return false }
            content.timer = nil
            return true
        }
        guard isCurrent else { return }
        let now = max(clock.now, deadline)
        change { $0.advance(to: now) }
    }

    private func deliver() {
        while let event = content.withLock({ content -> Event? in
            let event = content.scan.takeEvent()
            if event == nil { content.isDelivering = false }
            return event
        }) { onEvent(event) }
    }
}

extension BeaconScanner: CentralObserver {
    package func adapterStateChanged(_ state: AdapterState) {
        guard state != .unknown else { return }
        let now = clock.now
        change { $0.setAvailable(state == .poweredOn, at: now) }
        // The adapter has ended the scan itself. After the change: `update` must not start another one in between.
        if state != .poweredOn { content.withLock { $0.isScanning = false } }
        perform { [weak self] in self?.update() }
    }

    package func discovered(_ discovery: Discovery) {
        guard let beacon = IBeacon(discovery.octets) else { return }
        let now = clock.now
        let rssi = Int(discovery.rssi)
        change { $0.observe(beacon, rssi: rssi, at: now) }
    }

    // The other events are of connections, of which the session has none.
    package func connected(_ peer: PeerRecord) {}
    package func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    package func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    package func completed(
        _ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>
    ) {}
    package func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    package func readyForWriteCommands(to peer: PeerIdentifier) {}
    package func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    package func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}

extension IBeacon {
    /// The beacon of an advertisement; nil for other advertisements.
    fileprivate init?(_ octets: AdvertisingOctets) {
        var structures = AD.Structures(octets.data)
        while let structure = structures.next() {
            guard structure.type == .manufacturerData else { continue }
            if let beacon = structure.data.withUnsafeBufferPointer({ IBeacon(manufacturerData: Data($0)) }) {
                self = beacon
                return
            }
        }
        return nil
    }
}
