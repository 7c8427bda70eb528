import BLEBeacons
import Foundation

/// What the location managers of a device share: the monitored regions, the authorization and the scanner. It ends with the last manager.
final class LocationService: Sendable {
    /// The most regions that the managers of a program monitor, as on Apple's systems.
    static let regionLimit = 20

    private struct Content {
        /// Nil during the initialiser only.
        var scanner: BeaconScanner?
        var regions: [CLBeaconRegion] = []
        /// The managers in the order of their creation, each with what it ranges.
        var clients: [(client: LocationClient, ranged: [RangingRequest])] = []
        var authorization = CLAuthorizationStatus.notDetermined

        func isRanged(_ beacons: BeaconRegion) -> Bool {
            clients.contains { $0.ranged.contains { $0.beacons == beacons } }
        }
    }

    private struct Table {
        // Beside an ObjectIdentifier, the weak reference of a missing entry is not nil but garbage in a debug build of Swift 6.3.
        struct Entry { weak var service: LocationService? }

        /// The services of virtual devices, and that of the process, whose key is nil.
        var entries: [ObjectIdentifier?: Entry] = [:]
        /// The latest authorization of any service.
        var authorization = CLAuthorizationStatus.notDetermined
        /// The authorization of the process, which lasts longer than its managers.
        var processAuthorization = CLAuthorizationStatus.notDetermined
    }

    private static let table = Guarded(Table())

    private let scope: ObjectIdentifier?
    private let content = Guarded(Content())

    /// The service of the device in whose `VirtualDevice.run` the caller is, elsewhere that of the process.
    static var current: LocationService {
        let scope = BeaconScanner.scope
        return table.withLock { table in
            if let service = table.entries[scope]?.service { return service }
            let service = LocationService(scope, scope == nil ? table.processAuthorization : .notDetermined)
            table.entries[scope] = Table.Entry(service: service)
            return service
        }
    }

    /// The authorization without a manager: that of the device in whose `VirtualDevice.run` the caller is. Elsewhere, as in a callback, that of
    /// the process, and without a manager there the latest one of any manager.
    static var authorization: CLAuthorizationStatus {
        let scope = BeaconScanner.scope
        let (service, latest) = table.withLock { ($0.entries[scope]?.service, $0.authorization) }
        return service?.authorization ?? (scope == nil ? latest : .notDetermined)
    }

    private init(_ scope: ObjectIdentifier?, _ authorization: CLAuthorizationStatus) {
        self.scope = scope
        content.withLock { $0.authorization = authorization }
        let scanner = BeaconScanner { [weak self] in self?.handle($0) }
        content.withLock { $0.scanner = scanner }
    }

    deinit {
        let scope = scope
        // Another service may have the key already. If this was the last reference to it, its own `deinit` needs the lock.
        let other = Self.table.withLock { table in
            let other = table.entries[scope]?.service
            if other == nil { table.entries[scope] = nil }
            return other
        }
        withExtendedLifetime(other) {}
    }

    // MARK: Managers

    func add(_ client: LocationClient) { content.withLock { $0.clients.append((client, [])) } }

    /// Ends what a manager ranges. The monitored regions stay.
    func remove(_ client: LocationClient) {
        for request in ranged(by: client) { stopRanging(request, client) }
        content.withLock { content in content.clients.removeAll { $0.client === client } }
    }

    /// Calls the delegate of a manager on the queue, in order among the events.
    func post(
        _ client: LocationClient,
        _ body: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void
    ) { scanner?.perform { client.notify(body) } }

    private var scanner: BeaconScanner? { content.withLock { $0.scanner } }

    private var clients: [LocationClient] { content.withLock { $0.clients.map(\.client) } }

    // MARK: Authorization

    var authorization: CLAuthorizationStatus { content.withLock { $0.authorization } }

    /// Grants a request on the queue, after the callbacks that wait. A request for less than what the program has changes nothing.
    func requestAuthorization(_ wanted: CLAuthorizationStatus) {
        scanner?.perform { [weak self] in self?.grant(wanted) }
    }

    private func grant(_ wanted: CLAuthorizationStatus) {
        let isNew = content.withLock { content in
            guard content.authorization != wanted, content.authorization != .authorizedAlways else { return false }
            content.authorization = wanted
            return true
        }
        guard isNew else { return }
        Self.table.withLock { table in
            table.authorization = wanted
            if scope == nil { table.processAuthorization = wanted }
        }
        for client in clients { client.notify { $1.locationManagerDidChangeAuthorization($0) } }
    }

    // MARK: Regions

    var regions: [CLBeaconRegion] { content.withLock { $0.regions } }

    func startMonitoring(_ region: CLRegion, _ client: LocationClient) {
        guard let region = region as? CLBeaconRegion else { return failMonitoring(region, client) }
        let isMonitored = content.withLock { content in
            if let index = content.regions.firstIndex(of: region) {
                let former = content.regions[index]
                content.regions[index] = region
                end(former.beacons, &content)
            } else if content.regions.count < Self.regionLimit {
                content.regions.append(region)
            } else {
                return false
            }
            // If a region with the same beacons is monitored already, no event of the scanner follows.
            let known = content.scanner?.isInside(region.beacons)
            content.scanner?.perform {
                client.notify { $1.locationManager($0, didStartMonitoringFor: region) }
                guard let known else { return }
                client.notify { $1.locationManager($0, didDetermineState: CLRegionState(isInside: known), for: region) }
            }
            content.scanner?.startMonitoring(region.beacons)
            return true
        }
        if !isMonitored { failMonitoring(region, client) }
    }

    private func failMonitoring(_ region: CLRegion, _ client: LocationClient) {
        post(client) {
            $1.locationManager($0, monitoringDidFailFor: region, withError: CLError(.regionMonitoringFailure))
        }
    }

    func stopMonitoring(_ region: CLRegion) {
        content.withLock { content in
            guard let index = content.regions.firstIndex(where: { $0 == region }) else { return }
            end(content.regions.remove(at: index).beacons, &content)
        }
    }

    /// Ends the monitoring of beacons that no region has any more.
    private func end(_ beacons: BeaconRegion, _ content: inout Content) {
        if !content.regions.contains(where: { $0.beacons == beacons }) { content.scanner?.stopMonitoring(beacons) }
    }

    /// Reports the state that is known when the callback runs. As on Apple's systems, no answer comes while Bluetooth is off.
    func requestState(_ region: CLRegion, _ client: LocationClient) {
        scanner?.perform { [weak self] in
            guard let self, let scanner, scanner.isAvailable != false else { return }
            let beacons = regions.first { $0 == region }?.beacons
            let state = CLRegionState(isInside: beacons.flatMap { scanner.isInside($0) })
            client.notify { $1.locationManager($0, didDetermineState: state, for: region) }
        }
    }

    // MARK: Ranging

    func ranged(by client: LocationClient) -> [RangingRequest] {
        content.withLock { content in content.clients.first { $0.client === client }?.ranged ?? [] }
    }

    func startRanging(_ request: RangingRequest, _ client: LocationClient) {
        let isUnavailable = content.withLock { content in
            guard let index = content.clients.firstIndex(where: { $0.client === client }) else { return false }
            if let position = content.clients[index].ranged.firstIndex(of: request) {
                // The region with the same identifier may have had other beacons.
                let former = content.clients[index].ranged[position].beacons
                content.clients[index].ranged[position] = request
                if !content.isRanged(former) { content.scanner?.stopRanging(former) }
            } else {
                content.clients[index].ranged.append(request)
            }
            content.scanner?.startRanging(request.beacons)
            return content.scanner?.isAvailable == false
        }
        if isUnavailable { scanner?.perform { Self.failRanging(request, client) } }
    }

    func stopRanging(_ request: RangingRequest, _ client: LocationClient) {
        content.withLock { content in
            guard let index = content.clients.firstIndex(where: { $0.client === client }),
                let position = content.clients[index].ranged.firstIndex(of: request)
            else { return }
            let beacons = content.clients[index].ranged.remove(at: position).beacons
            if !content.isRanged(beacons) { content.scanner?.stopRanging(beacons) }
        }
    }

    private static func failRanging(_ request: RangingRequest, _ client: LocationClient) {
        let error = CLError(.rangingUnavailable)
        client.notify { manager, delegate in
            switch request {
            case .region(let region):
                delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
            case .constraint(let constraint):
                delegate.locationManager(manager, didFailRangingFor: constraint, error: error)
            }
        }
    }

    // MARK: Events

    /// Takes an event of the scanner, on the queue.
    private func handle(_ event: BeaconScanner.Event) {
        switch event {
        case .determined(let beacons, let isInside):
            for region in monitored(beacons) { report(region, CLRegionState(isInside: isInside)) }
        case .entered(let beacons):
            for region in monitored(beacons) {
                if region.notifyOnEntry { tell { $1.locationManager($0, didEnterRegion: region) } }
                report(region, .inside)
            }
        case .left(let beacons):
            for region in monitored(beacons) {
                if region.notifyOnExit { tell { $1.locationManager($0, didExitRegion: region) } }
                report(region, .outside)
            }
        case .ranged(let beacons, let found): reportRanged(beacons, found)
        case .unavailable:
            for (client, ranged) in content.withLock({ $0.clients }) {
                for request in ranged { Self.failRanging(request, client) }
            }
        case .available: break
        }
    }

    private func monitored(_ beacons: BeaconRegion) -> [CLBeaconRegion] { regions.filter { $0.beacons == beacons } }

    private func tell(_ body: (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
        for client in clients { client.notify(body) }
    }

    private func report(_ region: CLRegion, _ state: CLRegionState) {
        tell { $1.locationManager($0, didDetermineState: state, for: region) }
    }

    private func reportRanged(_ beacons: BeaconRegion, _ found: [RangedBeacon]) {
        guard let date = scanner?.date else { return }
        let found = found.map { CLBeacon($0, at: date) }
        for (client, ranged) in content.withLock({ $0.clients }) {
            for request in ranged where request.beacons == beacons {
                client.notify { manager, delegate in
                    switch request {
                    case .region(let region): delegate.locationManager(manager, didRangeBeacons: found, in: region)
                    case .constraint(let constraint):
                        delegate.locationManager(manager, didRange: found, satisfying: constraint)
                    }
                }
            }
        }
    }
}

extension CLRegionState {
    fileprivate init(isInside: Bool?) {
        switch isInside {
        case true?: self = .inside
        case false?: self = .outside
        case nil: self = .unknown
        }
    }
}
