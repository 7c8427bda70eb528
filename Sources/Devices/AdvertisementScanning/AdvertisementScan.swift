import BLEAdapter
import BLEWire
import Dispatch

/// A report of an advertiser with the time of its arrival.
package struct AdvertisementReport {
    package let discovery: Discovery
    package let time: ContinuousClock.Instant

    package init(discovery: Discovery, time: ContinuousClock.Instant) {
        self.discovery = discovery
        self.time = time
    }
}

/// A running scan, as a session of the adapter. Releasing it ends the scan.
///
/// `CBCentralManager` hides addresses and the octets of advertisements, as Apple's does, and makes a dictionary for each report. This
/// session receives the reports without either.
package final class AdvertisementScan {
    private let feed: AdvertisementFeed
    private let session: any CentralSession

    /// Starts a scan on an adapter that is powered on.
    ///
    /// - Parameters:
    ///   - allowsDuplicates: Reports every packet. Otherwise each device is reported once, and again when its content changes.
    ///   - clock: The time of a report's arrival. Called on the adapter's executor.
    ///   - wake: Called on an arbitrary thread when a report arrives and none was pending.
    package init(
        on adapter: any BluetoothAdapter, allowsDuplicates: Bool,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, wake: (@Sendable () -> Void)? = nil
    ) {
        feed = AdvertisementFeed(clock: clock, wake: wake)
        session = adapter.openCentral(observer: feed)
        session.startScan(ScanRequest(allowDuplicates: allowsDuplicates))
    }

    deinit { session.stopScan() }

    /// Moves the pending reports to `reports`, whose storage receives the next ones.
    package func take(_ reports: inout [AdvertisementReport]) { feed.take(&reports) }

    /// The number of reports that were dropped because too many were pending.
    package var droppedCount: Int { feed.droppedCount }
}

/// Collects reports on the adapter's executor. Storing a report allocates nothing once the buffers have grown.
private final class AdvertisementFeed: CentralObserver {
    private struct Content {
        var pending: [AdvertisementReport] = []
        var dropped = 0
    }

    /// The most pending reports: some seconds of a busy room.
    private static let limit = 32_768

    private let content = Lock(Content())
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let wake: (@Sendable () -> Void)?

    init(clock: @escaping @Sendable () -> ContinuousClock.Instant, wake: (@Sendable () -> Void)?) {
        self.clock = clock
        self.wake = wake
    }

    func take(_ reports: inout [AdvertisementReport]) {
        reports.removeAll(keepingCapacity: true)
        content.withLock { swap(&$0.pending, &reports) }
    }

    var droppedCount: Int { content.withLock { $0.dropped } }

    func discovered(_ discovery: Discovery) {
        let report = AdvertisementReport(discovery: discovery, time: clock())
        let isFirst = content.withLock { content in
            guard content.pending.count < Self.limit else {
                content.dropped += 1
                return false
            }
            content.pending.append(report)
            return content.pending.count == 1
        }
        if isFirst { wake?() }
    }

    func adapterStateChanged(_ state: AdapterState) {}
    func connected(_ peer: PeerRecord) {}
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {}
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
