import BLEAdapter
import BusBench
import Dispatch
import ImprovWiFi
import SystemBus
import TestConditions
import Testing

/// `NetworkManagerWiFi` with a stand-in for NetworkManager, on a `dbus-daemon` (package dbus) that each test starts for itself.
@Suite(.timeLimit(.minutes(10))) struct NetworkManagerRealTimeTests {
    private let daemon: PrivateBus
    private let failures = Collected<String>()
    private let results = Collected<Result<[String], ImprovError>>()

    private let wifi: NetworkManagerWiFi

    init() throws {
        daemon = try PrivateBus()
        wifi = NetworkManagerWiFi(addresses: [daemon.address]) { [failures] in failures.add($0) }
    }

    private func join(_ wifi: NetworkManagerWiFi) throws {
        let credentials = try WiFiCredentials(network: "home", password: "correct horse")
        wifi.join(credentials) { [results] in results.add($0) }
    }

    @Test func theNetworksOfTheFirstWirelessDeviceAreListed() async throws {
        let manager = try await StandIn(daemon.address)
        let networks = await withCheckedContinuation { continuation in
            wifi.scan { continuation.resume(returning: $0) }
        }
        #expect(networks.map(\.name) == ["home", "open"])
        #expect(networks.map(\.signal) == [-60, -85])
        #expect(networks.first?.security == "WPA2")
        #expect(failures.all == [])
        await manager.close()
    }

    /// The state is read once, before the first signal: afterwards the signals alone tell it.
    @Test(arguments: [true, false]) func aJoinWaitsForTheSignalOfTheState(_ isStateChanged: Bool) async throws {
        let manager = try await StandIn(daemon.address)
        try join(wifi)
        #expect(await eventually { manager.calls.all.filter { $0 == "Get State" }.count == 1 })
        try await manager.report(state: 1, asStateChanged: isStateChanged)
        #expect(results.all == [])
        try await manager.report(state: 2, asStateChanged: isStateChanged)
        #expect(await eventually { results.all == [.success(["http://192.0.2.55/"])] })
        #expect(manager.calls.all.filter { $0 == "Get State" }.count == 1)
        #expect(!manager.calls.all.contains("Delete"))
        #expect(manager.settings.all.first?["802-11-wireless"]?.properties?["ssid"] == .octets(Array("home".utf8)))
        let security = manager.settings.all.first?["802-11-wireless-security"]?.properties
        #expect(security == ["key-mgmt": .string("wpa-psk"), "psk": .string("correct horse")])
        // A change after the end is of no interest.
        try await manager.report(state: 4, asStateChanged: isStateChanged)
        #expect(results.all.count == 1)
        await manager.close()
    }

    @Test func aStateThatIsThereBeforeTheSignalsIsSeen() async throws {
        let manager = try await StandIn(daemon.address)
        manager.state.withLock { $0 = 2 }
        try join(wifi)
        #expect(await eventually { results.all == [.success(["http://192.0.2.55/"])] })
        await manager.close()
    }

    @Test func aFailedJoinRemovesItsCredentials() async throws {
        let manager = try await StandIn(daemon.address)
        try join(wifi)
        #expect(await eventually { manager.calls.all.contains("Get State") })
        try await manager.report(state: 4, asStateChanged: true)
        #expect(await eventually { results.all == [.failure(.unableToConnect)] })
        #expect(await eventually { manager.calls.all.suffix(2) == ["DeactivateConnection", "Delete"] })
        #expect(failures.all == [])
        await manager.close()
    }

    @Test func aJoinEndsAtItsLimit() async throws {
        let manager = try await StandIn(daemon.address)
        let wifi = NetworkManagerWiFi(addresses: [daemon.address], limit: .milliseconds(100)) { [failures] in
            failures.add($0)
        }
        try join(wifi)
        #expect(await eventually { results.all == [.failure(.unableToConnect)] })
        #expect(await eventually { manager.calls.all.last == "Delete" })
        #expect(failures.all.map { $0.hasSuffix("nmcli device status") } == [true])
        wifi.cancel()
        await manager.close()
    }

    @Test func aCancelledJoinRemovesItsCredentialsAndSaysNothing() async throws {
        let manager = try await StandIn(daemon.address)
        try join(wifi)
        #expect(await eventually { manager.calls.all.contains("Get State") })
        wifi.cancel()
        #expect(await eventually { manager.calls.all.suffix(2) == ["DeactivateConnection", "Delete"] })
        // Cancelled before NetworkManager has answered.
        manager.holdsActivation.withLock { $0 = true }
        try join(wifi)
        #expect(await eventually { manager.held.all.count == 1 })
        wifi.cancel()
        await manager.answerActivation()
        #expect(
            await eventually {
                manager.calls.all.suffix(2) == ["DeactivateConnection", "Delete"]
                    && manager.calls.all.filter { $0 == "Delete" }.count == 2
            })
        #expect(results.all == [])
        #expect(failures.all == [])
        await manager.close()
    }

    @Test func theEndOfTheBusEndsAJoin() async throws {
        let manager = try await StandIn(daemon.address)
        try join(wifi)
        #expect(await eventually { manager.calls.all.contains("Get State") })
        daemon.kill()
        #expect(await eventually { results.all == [.failure(.unableToConnect)] })
        #expect(failures.all.count == 1)
        await manager.close()
    }

    @Test func aMachineWithoutNetworkManagerNamesThePackage() async throws {
        try join(wifi)
        #expect(await eventually { results.all == [.failure(.unableToConnect)] })
        #expect(failures.all.map { $0.contains("apt-get install network-manager") } == [true])
    }

    @Test func aMachineWithoutABusNamesThePackage() async throws {
        let wifi = NetworkManagerWiFi(addresses: [.path("/nowhere/bus")]) { [failures] in failures.add($0) }
        try join(wifi)
        #expect(await eventually { results.all == [.failure(.unableToConnect)] })
        #expect(failures.all.count == 1)
        #expect(failures.all.first?.contains("/nowhere/bus") == true)
        #expect(failures.all.first?.contains("apt-get install dbus") == true)
        let networks = await withCheckedContinuation { continuation in
            wifi.scan { continuation.resume(returning: $0) }
        }
        #expect(networks.isEmpty)
        #expect(failures.all.count == 2)
        #expect(!failures.all.joined().contains("correct horse"))
    }
}

/// A NetworkManager with two devices, the second of them wireless, and three access points of two networks.
private final class StandIn: Sendable {
    private static let activeInterface = "org.freedesktop.NetworkManager.Connection.Active"
    private static let root = "/org/freedesktop/NetworkManager"
    private static let properties = "org.freedesktop.DBus.Properties"

    let calls = Collected<String>()
    let settings = Collected<[String: BusValue]>()
    let state = Lock<UInt32>(1)
    let holdsActivation = Lock(false)
    let held = Collected<BusCall>()
    private let client: BusClient

    init(_ address: BusAddress) async throws {
        client = BusClient(address)
        let points: [String: BusProperties] = [
            "/ap/1": [
                "Ssid": .octets(Array("home".utf8)), "Strength": .byte(50), "Flags": .uint32(1),
                "RsnFlags": .uint32(0x188),
            ],
            "/ap/2": ["Ssid": .octets(Array("open".utf8)), "Strength": .byte(30), "Flags": .uint32(0)],
            "/ap/3": [
                "Ssid": .octets(Array("home".utf8)), "Strength": .byte(80), "Flags": .uint32(1),
                "RsnFlags": .uint32(0x188),
            ],
        ]
        let objects: [(String, [String: Set<String>])] =
            [
                (
                    Self.root,
                    [
                        "org.freedesktop.NetworkManager": [
                            "GetDevices", "AddAndActivateConnection", "DeactivateConnection",
                        ]
                    ]
                ),
                ("/device/1", [Self.properties: ["Get"]]),
                (
                    "/device/2",
                    [
                        Self.properties: ["Get"],
                        "org.freedesktop.NetworkManager.Device.Wireless": ["GetAllAccessPoints"],
                    ]
                ),
                ("/active/1", [Self.properties: ["Get"]]), ("/ip", [Self.properties: ["Get"]]),
                ("/settings/1", ["org.freedesktop.NetworkManager.Settings.Connection": ["Delete"]]),
            ] + points.keys.map { ($0, [Self.properties: ["GetAll"]]) }
        await client.run { [self] bus in
            for (path, interfaces) in objects { bus.export(path, interfaces) { [self] in answer($0, points) } }
        }
        try await client.requestName("org.freedesktop.NetworkManager").get()
    }

    private func answer(_ call: BusCall, _ points: [String: BusProperties]) {
        let message = call.message
        let member = message.member ?? ""
        let name = message.body.count == 2 ? message.body[1].text ?? "" : ""
        calls.add(member == "Get" ? "Get \(name)" : member)
        switch (member, name) {
        case ("GetDevices", _): call.reply([.array("o", [.path("/device/1"), .path("/device/2")])])
        case ("Get", "DeviceType"): call.reply([.variant(.uint32(message.path == "/device/2" ? 2 : 14))])
        case ("GetAllAccessPoints", _):
            // The last one is gone when it is read.
            call.reply([.array("o", ["/ap/1", "/ap/2", "/ap/3", "/ap/4"].map { .path($0) })])
        case ("GetAll", _): call.reply([.properties(points[message.path ?? ""] ?? [:])])
        case ("AddAndActivateConnection", _):
            let groups = message.body.first?.elements ?? []
            var content: [String: BusValue] = [:]
            for case .entry(.string(let group), let values) in groups { content[group] = values }
            settings.add(content)
            if holdsActivation.withLock({ $0 }) {
                held.add(call)
            } else {
                call.reply([.path("/settings/1"), .path("/active/1")])
            }
        case ("Get", "State"): call.reply([.variant(.uint32(state.withLock { $0 }))])
        case ("Get", "Ip4Config"): call.reply([.variant(.path("/ip"))])
        case ("Get", "AddressData"):
            call.reply([
                .variant(.array("a{sv}", [.properties(["address": .string("192.0.2.55"), "prefix": .uint32(24)])]))
            ])
        default: call.reply()
        }
    }

    func answerActivation() async {
        await client.run { [self] _ in for call in held.all { call.reply([.path("/settings/1"), .path("/active/1")]) } }
    }

    func report(state: UInt32, asStateChanged: Bool) async throws {
        if asStateChanged {
            try await client.emit(
                .signal("/active/1", Self.activeInterface, "StateChanged", [.uint32(state), .uint32(0)]))
        } else {
            try await client.emit(
                .signal(
                    "/active/1", Self.properties, "PropertiesChanged",
                    [.string(Self.activeInterface), .properties(["State": .uint32(state)]), .array("s", [])]))
        }
    }

    func close() async { await client.close() }
}
