internal import BLEWire
import CoreBluetooth
import SystemBus

/// Joins networks with the machine's NetworkManager, over the system bus.
///
/// The password goes to NetworkManager in a message of the bus. It stands in no command line and no log. NetworkManager keeps the
/// credentials of a network that was joined; those of a failed attempt are removed.
///
/// `@unchecked Sendable`: all state is used on a queue of its own. May be used from any thread.
public final class NetworkManagerWiFi: WiFiJoining, @unchecked Sendable {
    private static let service = "org.freedesktop.NetworkManager"
    private static let manager = "/org/freedesktop/NetworkManager"
    private static let active = "org.freedesktop.NetworkManager.Connection.Active"
    /// NM_DEVICE_TYPE_WIFI.
    private static let wirelessType: UInt64 = 2
    /// NM_ACTIVE_CONNECTION_STATE_ACTIVATED, and DEACTIVATED.
    private static let (activated, deactivated): (UInt64, UInt64) = (2, 4)
    /// The time from the request to the end of an attempt. NetworkManager itself gives DHCP 45 s, and the access point 25 s.
    package static let limit = DispatchTimeInterval.seconds(90)
    /// The access points that are read.
    private static let accessPointLimit = 64

    private typealias Answer<T> = (Result<T, BusCallError>) -> Void

    private struct Attempt {
        let number: Int
        let completion: @Sendable (Result<[String], ImprovError>) -> Void
        /// The stored credentials, and their use.
        var objects: (settings: String, connection: String)?
        var signals: BusCancellable?
    }

    private let queue = DispatchQueue(label: "OpenCoreBluetooth.NetworkManager")
    private let addresses: [BusAddress]
    private let limit: DispatchTimeInterval
    private let onFailure: @Sendable (String) -> Void
    private var bus: BusConnection?
    private var attempt: Attempt?
    private var attempts = 0

    /// Joins with the NetworkManager of this machine.
    ///
    /// - Parameter onFailure: Receives a sentence for people if the bus or NetworkManager is missing or refuses a call.
    public convenience init(onFailure: @escaping @Sendable (String) -> Void) {
        self.init(addresses: BusAddress.system(), onFailure: onFailure)
    }

    package init(
        addresses: [BusAddress], limit: DispatchTimeInterval = NetworkManagerWiFi.limit,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        (self.addresses, self.limit, self.onFailure) = (addresses, limit, onFailure)
    }

    /// Joins a network with the first wireless device.
    public func join(
        _ credentials: WiFiCredentials, completion: @escaping @Sendable (Result<[String], ImprovError>) -> Void
    ) {
        queue.async { [self] in
            attempt?.signals?.cancel()
            attempts += 1
            let number = attempts
            attempt = Attempt(number: number, completion: completion)
            wirelessDevice(
                step(number) { [self] device in
                    accessPoints(
                        of: device,
                        step(number) { [self] points in
                            let security = points.filter { $0.name == credentials.network }
                                .max { $0.strength < $1.strength }?.security
                            activate(device, Self.settings(credentials, security), number)
                        })
                })
        }
    }

    /// Ends the attempt and removes its credentials.
    public func cancel() {
        queue.async { [self] in
            if let attempt { abandon(attempt) }
            attempt = nil
        }
    }

    /// Lists the access points that the first wireless device sees.
    public func scan(completion: @escaping @Sendable ([VisibleNetwork]) -> Void) {
        queue.async { [self] in
            wirelessDevice { [self] device in
                guard case .success(let device) = device else { return finishScan(device.map { _ in [] }, completion) }
                accessPoints(of: device) { [self] in finishScan($0, completion) }
            }
        }
    }

    private func finishScan(
        _ points: Result<[AccessPoint], BusCallError>, _ completion: @Sendable ([VisibleNetwork]) -> Void
    ) {
        switch points {
        case .success(let points): completion(Self.networks(points))
        case .failure(let error):
            fail(error)
            completion([])
        }
    }

    // MARK: An attempt

    /// Goes on with a result, if the attempt has not ended or been cancelled. An error ends it.
    private func step<T>(_ number: Int, _ next: @escaping (T) -> Void) -> Answer<T> {
        { [self] result in
            guard attempt?.number == number else { return }
            switch result {
            case .success(let value): next(value)
            case .failure(let error):
                fail(error)
                if let attempt { abandon(attempt) }
                finish(.failure(.unableToConnect))
            }
        }
    }

    private func activate(_ device: String, _ settings: BusValue, _ number: Int) {
        call(
            Self.manager, Self.service, "AddAndActivateConnection", [settings, .path(device), .path("/")],
            // Without the answer the stored credentials could not be removed.
            timeout: .seconds(90)
        ) { [self] result in
            let objects = result.flatMap { reply -> Result<(settings: String, connection: String), BusCallError> in
                guard reply.count >= 2, let settings = reply[0].text, let connection = reply[1].text else {
                    return .failure(.invalid)
                }
                return .success((settings, connection))
            }
            // Cancelled in the meantime: NetworkManager has begun.
            if attempt?.number != number, case .success(let objects) = objects { return remove(objects) }
            step(number) { [self] objects in watch(objects, number) }(objects)
        }
    }

    /// Waits until NetworkManager reports the end of the attempt: first the signals, then the state, so that no change is missed.
    private func watch(_ objects: (settings: String, connection: String), _ number: Int) {
        attempt?.objects = objects
        attempt?.signals = connection().subscribe(BusMatch(sender: Self.service, path: objects.connection)) {
            [weak self] in self?.receive($0, number)
        }
        property(objects.connection, Self.active, "State") { [self] result in
            switch result {
            case .success(let state): handle(state.number, number)
            // The object of a connection that failed disappears.
            case .failure(.error): handle(Self.deactivated, number)
            case .failure: step(number) { _ in }(result)
            }
        }
        queue.asyncAfter(deadline: .now() + limit) { [weak self] in
            guard let self, attempt?.number == number else { return }
            onFailure(
                "NetworkManager did not join the network in time: see the state of the device with nmcli device status")
            handle(Self.deactivated, number)
        }
    }

    private func receive(_ signal: BusMessage, _ number: Int) {
        if signal.interface == Self.active, signal.member == "StateChanged" {
            handle(signal.body.first?.number, number)
        } else if case .changed(_, Self.active, let properties, _)? = BusObjectChange(signal) {
            handle(properties["State"]?.number, number)
        }
    }

    private func handle(_ state: UInt64?, _ number: Int) {
        guard let attempt, attempt.number == number, let signals = attempt.signals, let objects = attempt.objects else {
            return
        }
        if state == Self.activated {
            signals.cancel()
            self.attempt?.signals = nil
            addresses(of: objects.connection, step(number) { [self] in finish(.success($0)) })
        } else if state == Self.deactivated {
            abandon(attempt)
            finish(.failure(.unableToConnect))
        }
    }

    private func finish(_ result: Result<[String], ImprovError>) {
        guard let attempt else { return }
        attempt.signals?.cancel()
        self.attempt = nil
        attempt.completion(result)
    }

    private func abandon(_ attempt: Attempt) {
        attempt.signals?.cancel()
        if let objects = attempt.objects { remove(objects) }
    }

    /// Either call fails if NetworkManager has already done its part.
    private func remove(_ objects: (settings: String, connection: String)) {
        call(Self.manager, Self.service, "DeactivateConnection", [.path(objects.connection)]) { _ in }
        call(objects.settings, "org.freedesktop.NetworkManager.Settings.Connection", "Delete") { _ in }
    }

    // MARK: NetworkManager

    private static func settings(_ credentials: WiFiCredentials, _ security: AccessPointSecurity?) -> BusValue {
        var groups: [String: BusValue] = [
            "connection": .properties(["id": .string(credentials.network), "type": .string("802-11-wireless")]),
            "802-11-wireless": .properties(["ssid": .octets(Array(credentials.network.utf8))]),
        ]
        if let management = AccessPointSecurity.keyManagement(security, hasPassword: !credentials.password.isEmpty) {
            var properties: [String: BusValue] = ["key-mgmt": .string(management)]
            if !credentials.password.isEmpty { properties["psk"] = .string(credentials.password) }
            groups["802-11-wireless-security"] = .properties(properties)
        }
        return .dictionary(groups, of: "a{sv}")
    }

    private func addresses(of connection: String, _ answer: @escaping Answer<[String]>) {
        property(connection, Self.active, "Ip4Config") { [self] result in
            guard case .success(let value) = result, let configuration = value.text, configuration != "/" else {
                return answer(result.map { _ in [] })
            }
            property(configuration, "org.freedesktop.NetworkManager.IP4Config", "AddressData") { result in
                answer(
                    result.map { data in
                        (data.elements ?? []).compactMap { $0["address"]?.text }.map { "http://\($0)/" }
                    })
            }
        }
    }

    private func wirelessDevice(_ answer: @escaping Answer<String>) {
        call(Self.manager, Self.service, "GetDevices") { [self] result in
            guard case .success(let reply) = result else { return answer(result.map { _ in "" }) }
            let devices = (reply.first?.elements ?? []).compactMap(\.text)
            each(
                devices, { [self] in property($0, "org.freedesktop.NetworkManager.Device", "DeviceType", $1) },
                then: { types in
                    answer(
                        types.flatMap { types in
                            for (device, type) in types where type.number == Self.wirelessType {
                                return .success(device)
                            }
                            return .failure(
                                .error(
                                    "NetworkManager",
                                    "This machine has no wireless device. Connect one, then try again.")
                            )
                        })
                })
        }
    }

    private struct AccessPoint {
        let name: String
        /// In percent.
        let strength: Int
        let security: AccessPointSecurity

        init(_ properties: BusProperties) {
            name = String(decoding: properties["Ssid"]?.bytes ?? [], as: UTF8.self)
            strength = Int(clamping: min(100, properties["Strength"]?.number ?? 0))
            security = AccessPointSecurity(
                flags: properties["Flags"]?.number ?? 0, wpa: properties["WpaFlags"]?.number ?? 0,
                rsn: properties["RsnFlags"]?.number ?? 0)
        }
    }

    private func accessPoints(of device: String, _ answer: @escaping Answer<[AccessPoint]>) {
        call(device, "org.freedesktop.NetworkManager.Device.Wireless", "GetAllAccessPoints") { [self] result in
            guard case .success(let reply) = result else { return answer(result.map { _ in [] }) }
            let points = (reply.first?.elements ?? []).prefix(Self.accessPointLimit).compactMap(\.text)
            each(
                points,
                { [self] point, answer in
                    call(
                        point, "org.freedesktop.DBus.Properties", "GetAll",
                        [.string("org.freedesktop.NetworkManager.AccessPoint")]
                    ) { answer($0.map { AccessPoint($0.first?.properties ?? [:]) }) }
                },
                then: { answer($0.map { $0.map(\.1).filter { !$0.name.isEmpty } }) })
        }
    }

    private static func networks(_ points: [AccessPoint]) -> [VisibleNetwork] {
        var strongest: [String: VisibleNetwork] = [:]
        for point in points {
            // NetworkManager reports percent: 0 is about -100 dBm, 100 is -50 dBm or more.
            let network = VisibleNetwork(
                name: point.name, signal: point.strength / 2 - 100, security: point.security.text)
            if strongest[point.name].map({ $0.signal < network.signal }) ?? true { strongest[point.name] = network }
        }
        return strongest.values.sorted { ($1.signal, $0.name) < ($0.signal, $1.name) }
    }

    // MARK: Bus

    /// Asks for a value of each object at once. An object that is gone by now is left out.
    private func each<T>(
        _ paths: [String], _ ask: (String, @escaping Answer<T>) -> Void, then: @escaping Answer<[(String, T)]>
    ) {
        guard !paths.isEmpty else { return then(.success([])) }
        var answers: [String: T] = [:]
        var left = paths.count
        var problem: BusCallError?
        for path in paths {
            ask(path) { result in
                left -= 1
                switch result {
                case .success(let value): answers[path] = value
                case .failure(.error): break
                case .failure(let error): problem = error
                }
                guard left == 0 else { return }
                if let problem { return then(.failure(problem)) }
                then(.success(paths.compactMap { path in answers[path].map { (path, $0) } }))
            }
        }
    }

    private func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: TimeSpan = BusConnection.timeout, _ answer: @escaping Answer<[BusValue]>
    ) {
        connection().call(Self.service, path, interface, member, arguments, timeout: timeout) {
            answer($0.map(\.body))
        }
    }

    private func property(_ path: String, _ interface: String, _ name: String, _ answer: @escaping Answer<BusValue>) {
        connection().property(Self.service, path, interface, name, completion: answer)
    }

    /// After the end of a connection the next call opens another.
    private func connection() -> BusConnection {
        if let bus, bus.end == nil { return bus }
        let new = BusConnection(to: addresses, queue: queue)
        new.onClose = { [weak self, weak new] error in
            guard let self, bus === new else { return }
            bus = nil
            // An attempt that waits for no call.
            if attempt != nil {
                fail(error)
                finish(.failure(.unableToConnect))
            }
        }
        bus = new
        return new
    }

    private func fail(_ error: BusCallError) {
        switch error {
        case .error(BusCallError.Name.serviceUnknown, _):
            onFailure(
                "NetworkManager does not run on this machine. Install and start it (Debian, Ubuntu: apt-get install network-manager)."
            )
        default: onFailure("\(error)")
        }
    }
}
