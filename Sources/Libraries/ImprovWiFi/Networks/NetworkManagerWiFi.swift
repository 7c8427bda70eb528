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
    /// NM_DEVICE_TYPE_WIFI.
    private static let wirelessType: UInt64 = 2
    /// NM_ACTIVE_CONNECTION_STATE_ACTIVATED, and DEACTIVATED.
    private static let (activated, deactivated): (UInt64, UInt64) = (2, 4)

    private struct Attempt {
        let number: Int
        let device: String
        /// The stored credentials, and their use.
        let settings: String
        let connection: String
        let completion: @Sendable (Result<[String], ImprovError>) -> Void
    }

    /// The bus blocks, so its calls have a queue of their own.
    private let queue = DispatchQueue(label: "OpenCoreBluetooth.NetworkManager")
    private let path: String
    private let onFailure: @Sendable (String) -> Void
    private var bus: BusConnection?
    private var attempt: Attempt?
    private var attempts = 0

    /// Joins with the NetworkManager of this machine.
    ///
    /// - Parameter onFailure: Receives a sentence for people if the bus or NetworkManager is missing or refuses a call.
    public convenience init(onFailure: @escaping @Sendable (String) -> Void) {
        self.init(path: BusConnection.systemPath(), onFailure: onFailure)
    }

    package init(path: String, onFailure: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.onFailure = onFailure
    }

    /// Joins a network with the first wireless device.
    public func join(
        _ credentials: WiFiCredentials, completion: @escaping @Sendable (Result<[String], ImprovError>) -> Void
    ) {
        queue.async { [self] in
            attempts += 1
            do throws(BusCallError) {
                let device = try wirelessDevice()
                let security = try accessPoints(of: device).filter { $0.name == credentials.network }
                    .max { $0.strength < $1.strength }?.security
                let reply = try call(
                    Self.manager, Self.service, "AddAndActivateConnection",
                    [Self.settings(credentials, security), .path(device), .path("/")])
                guard reply.count >= 2, let settings = reply[0].text, let connection = reply[1].text else {
                    throw .broken
                }
                attempt = Attempt(
                    number: attempts, device: device, settings: settings, connection: connection, completion: completion
                )
                watch(attempts)
            } catch {
                fail(error)
                completion(.failure(.unableToConnect))
            }
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
            do throws(BusCallError) {
                completion(try visibleNetworks())
            } catch {
                fail(error)
                completion([])
            }
        }
    }

    // MARK: NetworkManager

    private static func settings(_ credentials: WiFiCredentials, _ security: AccessPointSecurity?) -> BusValue {
        var groups: [String: BusValue] = [
            "connection": .properties(["id": .string(credentials.network), "type": .string("802-11-wireless")]),
            "802-11-wireless": .properties(["ssid": .octets(credentials.network.utf8)]),
        ]
        if let management = AccessPointSecurity.keyManagement(security, hasPassword: !credentials.password.isEmpty) {
            var properties: [String: BusValue] = ["key-mgmt": .string(management)]
            if !credentials.password.isEmpty { properties["psk"] = .string(credentials.password) }
            groups["802-11-wireless-security"] = .properties(properties)
        }
        return .array("{sa{sv}}", groups.sorted { $0.key < $1.key }.map { .entry(.string($0.key), $0.value) })
    }

    /// Looks at the attempt until it has ended.
    private func watch(_ number: Int) {
        guard let attempt, attempt.number == number else { return }
        do throws(BusCallError) {
            let state = try property(
                attempt.connection, "org.freedesktop.NetworkManager.Connection.Active", "State"
            ).number
            if state == Self.activated {
                let addresses = try addresses(of: attempt.connection)
                self.attempt = nil
                return attempt.completion(.success(addresses))
            }
            guard state != Self.deactivated else { return end(attempt) }
            queue.asyncAfter(deadline: .now() + .milliseconds(500)) { [weak self] in self?.watch(number) }
        } catch .error {
            // The object of a connection that failed disappears.
            end(attempt)
        } catch {
            fail(error)
            end(attempt)
        }
    }

    private func end(_ attempt: Attempt) {
        self.attempt = nil
        abandon(attempt)
        attempt.completion(.failure(.unableToConnect))
    }

    /// Either call fails if NetworkManager has already done its part.
    private func abandon(_ attempt: Attempt) {
        _ = try? call(Self.manager, Self.service, "DeactivateConnection", [.path(attempt.connection)])
        _ = try? call(attempt.settings, "org.freedesktop.NetworkManager.Settings.Connection", "Delete")
    }

    private func addresses(of connection: String) throws(BusCallError) -> [String] {
        let configuration = try property(
            connection, "org.freedesktop.NetworkManager.Connection.Active", "Ip4Config"
        ).text
        guard let configuration, configuration != "/" else { return [] }
        let data = try property(configuration, "org.freedesktop.NetworkManager.IP4Config", "AddressData")
        return (data.elements ?? []).compactMap { $0["address"]?.text }.map { "http://\($0)/" }
    }

    private func wirelessDevice() throws(BusCallError) -> String {
        let devices = try call(Self.manager, Self.service, "GetDevices").first?.elements ?? []
        for device in devices.compactMap(\.text) {
            let type = try property(device, "org.freedesktop.NetworkManager.Device", "DeviceType").number
            if type == Self.wirelessType { return device }
        }
        throw .error("NetworkManager", "This machine has no wireless device. Connect one, then try again.")
    }

    private struct AccessPoint {
        let name: String
        /// In percent.
        let strength: Int
        let security: AccessPointSecurity
    }

    private func accessPoints(of device: String) throws(BusCallError) -> [AccessPoint] {
        let interface = "org.freedesktop.NetworkManager.AccessPoint"
        let points =
            try call(device, "org.freedesktop.NetworkManager.Device.Wireless", "GetAllAccessPoints").first?.elements
            ?? []
        var found: [AccessPoint] = []
        for point in points.prefix(64).compactMap(\.text) {
            let octets = try property(point, interface, "Ssid").elements?.compactMap(\.number) ?? []
            let name = String(decoding: octets.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
            let strength = Int(try property(point, interface, "Strength").number ?? 0)
            let security = AccessPointSecurity(
                flags: try property(point, interface, "Flags").number ?? 0,
                wpa: try property(point, interface, "WpaFlags").number ?? 0,
                rsn: try property(point, interface, "RsnFlags").number ?? 0)
            if !name.isEmpty { found.append(AccessPoint(name: name, strength: strength, security: security)) }
        }
        return found
    }

    private func visibleNetworks() throws(BusCallError) -> [VisibleNetwork] {
        var strongest: [String: VisibleNetwork] = [:]
        for point in try accessPoints(of: try wirelessDevice()) {
            // NetworkManager reports percent: 0 is about -100 dBm, 100 is -50 dBm or more.
            let network = VisibleNetwork(
                name: point.name, signal: point.strength / 2 - 100, security: point.security.text)
            if strongest[point.name].map({ $0.signal < network.signal }) ?? true { strongest[point.name] = network }
        }
        return strongest.values.sorted { ($1.signal, $0.name) < ($0.signal, $1.name) }
    }

    // MARK: Bus

    private func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(BusCallError) -> [BusValue] {
        let bus = try connection()
        do throws(BusCallError) {
            return try bus.call(Self.service, path, interface, member, arguments)
        } catch {
            // After a broken connection the next call opens another.
            if case .error = error {} else { self.bus = nil }
            throw error
        }
    }

    private func property(_ path: String, _ interface: String, _ name: String) throws(BusCallError) -> BusValue {
        let reply = try call(
            path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)])
        guard case .variant(let value) = reply.first else { throw .broken }
        return value
    }

    private func connection() throws(BusCallError) -> BusConnection {
        if let bus { return bus }
        let new = try BusConnection(path: path)
        bus = new
        return new
    }

    private func fail(_ error: BusCallError) {
        switch error {
        case .error("org.freedesktop.DBus.Error.ServiceUnknown", _):
            onFailure(
                "NetworkManager does not run on this machine. Install and start it (Debian, Ubuntu: apt-get install network-manager)."
            )
        default: onFailure("\(error)")
        }
    }
}
