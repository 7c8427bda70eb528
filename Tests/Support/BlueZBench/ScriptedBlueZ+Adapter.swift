import BLEWire
import SystemBus

/// The clients that discover devices.
struct ScriptedDiscovery {
    /// By the path of the adapter.
    var clients: [String: [String]] = [:]
    /// By client.
    var filters: [String: BusProperties] = [:]
}

/// Adapters and the devices around them.
extension ScriptedBlueZ {
    /// Adds an adapter, and returns its path.
    @discardableResult
    package func addAdapter(
        _ name: String = "hci0", address: String = "00:11:22:33:44:55", isPowered: Bool = true,
        properties: BusProperties = [:]
    ) -> String {
        let path = "/org/bluez/\(name)"
        var all: BusProperties = [
            "Address": .string(address), "AddressType": .string("public"), "Name": .string("host"),
            "Alias": .string("host"), "Class": .uint32(0), "Powered": .bool(isPowered), "Discoverable": .bool(false),
            "DiscoverableTimeout": .uint32(180), "Pairable": .bool(false), "PairableTimeout": .uint32(0),
            "Discovering": .bool(false), "UUIDs": .array("s", []),
            "Roles": .array("s", [.string("central"), .string("peripheral"), .string("central-peripheral")]),
        ]
        if version >= 79 { all["PowerState"] = .string(isPowered ? "on" : "off") }
        let advertising: BusProperties = [
            "ActiveInstances": .byte(0), "SupportedInstances": .byte(5),
            "SupportedIncludes": .array("s", ["tx-power", "appearance", "local-name", "rsi"].map { .string($0) }),
            "SupportedFeatures": .array("s", []),
            "SupportedCapabilities": .properties([
                "MaxAdvLen": .byte(31), "MaxScnRspLen": .byte(31), "MinTxPower": .int16(-34), "MaxTxPower": .int16(7),
            ]),
        ]
        add(
            path,
            [
                Self.adapter: all.merging(properties) { $1 }, Self.gattManager: [:],
                Self.advertisingManager: advertising,
            ])
        return path
    }

    /// Removes an adapter with its devices: it was unplugged.
    package func removeAdapter(_ path: String) {
        for device in devices.keys.sorted() where device.hasPrefix(path + "/") { vanish(device) }
        forgetRegistrations(at: path)
        discovery.clients[path] = nil
        remove(path)
    }

    func adapter(_ call: BusCall, _ path: String) {
        let client = call.message.sender ?? ""
        if call.message.member == "RemoveDevice" { return removeDevice(call, path) }
        guard property(path, Self.adapter, "Powered")?.flag == true else { return fail(call, .notReady) }
        switch call.message.member {
        case "SetDiscoveryFilter":
            guard let filter = call.message.body.first?.properties else { return fail(call, .invalidArguments) }
            discovery.filters[client] = filter.isEmpty ? nil : filter
            reply(call)
        case "StartDiscovery":
            guard discovery.clients[path]?.contains(client) != true else { return fail(call, .busy) }
            discovery.clients[path, default: []].append(client)
            if discovery.clients[path]?.count == 1 { set(path, Self.adapter, ["Discovering": .bool(true)]) }
            reply(call)
        default:
            guard discovery.clients[path]?.contains(client) == true else {
                return fail(call, .failed("No discovery started"))
            }
            stopDiscovery(path, client)
            reply(call)
        }
    }

    /// Ends the discovery of a client. With the last, the strengths of signals are forgotten.
    func stopDiscovery(_ path: String, _ client: String) {
        discovery.filters[client] = nil
        guard discovery.clients[path]?.contains(client) == true else { return }
        discovery.clients[path]?.removeAll { $0 == client }
        guard discovery.clients[path]?.isEmpty == true else { return }
        for device in devices.keys.sorted() where device.hasPrefix(path + "/") {
            for name in ["RSSI", "TxPower"] where property(device, Self.device, name) != nil {
                set(device, Self.device, [name: nil])
            }
        }
        set(path, Self.adapter, ["Discovering": .bool(false)])
    }

    /// The filter that a client has set.
    package func discoveryFilter(of client: String) -> BusProperties? { discovery.filters[client] }

    private func removeDevice(_ call: BusCall, _ path: String) {
        guard case .path(let device)? = call.message.body.first else { return fail(call, .invalidArguments) }
        guard devices[device] != nil else { return fail(call, .doesNotExist) }
        guard property(path, Self.adapter, "Powered")?.flag == true else { return fail(call, .notReady) }
        devices[device]?.isTemporary = true
        guard isConnected(device) else {
            vanish(device)
            return reply(call)
        }
        devices[device]?.isRemoved = true
        disconnect(device, call)
    }

    // MARK: Advertisements of devices

    /// A device advertises. Returns the path of its object; nil if no client discovers, or the filters of all exclude it.
    @discardableResult
    package func advertise(_ device: ScriptedDevice, to adapter: String = "/org/bluez/hci0") -> String? {
        let path = device.path(adapter)
        let clients = discovery.clients[adapter] ?? []
        guard clients.contains(where: { isWanted(device, discovery.filters[$0]) }) else {
            devices[path]?.device = device
            return nil
        }
        guard devices[path] != nil else { return addDevice(device, to: adapter) }
        devices[path]?.device = device
        let isDuplicate = clients.contains { discovery.filters[$0]?["DuplicateData"]?.flag ?? true }
        // Without a filter small changes of the strength are left out.
        let threshold = clients.contains { discovery.filters[$0] != nil } ? 1 : 8
        for (name, value) in device.advertised.sorted(by: { $0.key < $1.key }) {
            let old = property(path, Self.device, name)
            switch name {
            case "RSSI":
                guard let old = old?.signed, let new = value.signed, abs(new - old) < threshold else { break }
                continue
            case "ManufacturerData", "ServiceData": guard isDuplicate || value != old else { continue }
            default: guard value != old else { continue }
            }
            set(path, Self.device, [name: value])
        }
        return path
    }

    private func isWanted(_ device: ScriptedDevice, _ filter: BusProperties?) -> Bool {
        guard let wanted = filter?["UUIDs"]?.elements?.compactMap(\.text), !wanted.isEmpty else { return true }
        return wanted.contains { device.uuids.contains($0) }
    }

    /// Adds a device that bluetoothd knows, without an advertisement. Paired devices stay.
    @discardableResult
    package func addDevice(_ device: ScriptedDevice, to adapter: String = "/org/bluez/hci0") -> String {
        let path = device.path(adapter)
        devices[path] = ScriptedLink(device: device, isTemporary: !device.isPaired)
        add(path, [Self.device: device.properties(of: adapter, hasBonded: version >= 65)])
        return path
    }

    /// Changes what a known device does, without an advertisement.
    package func change(_ path: String, _ change: (inout ScriptedDevice) -> Void) {
        if devices[path] != nil { change(&devices[path]!.device) }
    }

    /// Removes a device: bluetoothd forgot it. A link ends.
    package func vanish(_ path: String) {
        if isConnected(path) { dropLink(path, .local) }
        if let call = devices[path]?.connecting { fail(call, .connectionCanceled) }
        devices[path] = nil
        removeServices(of: path)
        remove(path)
    }

    func removeTemporaryDevices(of adapter: String) {
        for (path, link) in devices.sorted(by: { $0.key < $1.key })
        where link.isTemporary && path.hasPrefix(adapter + "/") {
            vanish(path)
        }
    }

    /// Many changes of the strength of a device's signal.
    package func flood(_ path: String, count: Int) {
        for number in 0..<count {
            set(path, Self.device, ["RSSI": .int16(Int16(-30 - number % 60))])
            flush()
        }
    }
}
