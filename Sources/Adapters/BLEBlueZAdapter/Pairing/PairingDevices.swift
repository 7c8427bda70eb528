import BLEWire
import SystemBus

/// What pairing needs to know of a device of bluetoothd.
struct PairingDevice: Hashable {
    /// The properties whose changes matter.
    static let properties: Set<String> = [
        "Address", "AddressType", "AdvertisingFlags", "Bonded", "Class", "Connected", "Name", "Paired",
        "PreferredBearer", "ServicesResolved",
    ]

    let address: DeviceAddress
    let name: String?
    /// Whether there is a link of LE, or of any bearer if nothing tells which.
    let isConnected: Bool
    let isPaired: Bool
    /// Whether bluetoothd keeps keys of the device, for any bearer.
    let isBonded: Bool
    let bearers: DeviceBearers.Supported
    /// Whether the keys are those of LE; nil if bluetoothd does not tell.
    let isLEPaired: Bool?
    /// The bearer that bluetoothd chooses; nil if the program cannot choose it.
    let preferredBearer: String?

    init?(_ path: String, _ objects: BlueZObjects) {
        guard let device = objects.device(path) else { return nil }
        address = device.address
        name = device.name
        isPaired = device.isPaired
        isBonded = device.isBonded && device.isPaired
        preferredBearer = device["PreferredBearer"]?.text
        isLEPaired = objects.properties(path, BlueZ.bearerLE)?["Paired"]?.flag
        let bearers = DeviceBearers(device, objects)
        self.bearers = bearers.supported
        isConnected = bearers.hasLE || (bearers.hasClassic == nil && device.isConnected)
    }

    /// Whether the keys that bluetoothd keeps serve LE, as far as it tells.
    var isLEBond: Bool { isBonded && bearers != .classic && isLEPaired != false }
}

/// The devices of an adapter, as pairing sees them.
struct PairingDevices {
    /// Far more than a controller can use. Bonds beyond are not listed.
    static let mostBonds = 1024

    private(set) var adapter = ""
    private var devices: [String: PairingDevice] = [:]
    /// The paths of the devices with bonds. bluetoothd does not tell their age: those of the start come first, by path.
    private(set) var bonds: [String] = []

    subscript(path: String) -> PairingDevice? { devices[path] }

    mutating func begin(_ adapter: String, _ objects: BlueZObjects) {
        self.adapter = adapter
        devices = [:]
        for path in objects.paths(with: BlueZ.device, below: adapter) { devices[path] = PairingDevice(path, objects) }
        bonds = Array(devices.filter { $0.value.isLEBond }.keys.sorted().prefix(Self.mostBonds))
    }

    mutating func end() { self = PairingDevices() }

    /// Takes a change. Returns the path of the device, if something about it changed that pairing needs, and the device before.
    mutating func apply(_ change: BlueZObjects.Change, _ objects: BlueZObjects) -> (
        path: String, before: PairingDevice?
    )? {
        let path: String
        switch change {
        case .changed(let changed, let interface, let names):
            guard interface == BlueZ.device || interface == BlueZ.bearerLE,
                !names.isDisjoint(with: PairingDevice.properties)
            else { return nil }
            path = changed
        case .added(let added, let interface), .removed(let added, let interface):
            guard [BlueZ.device, BlueZ.bearerLE, BlueZ.bearerClassic].contains(interface) else { return nil }
            path = added
        }
        guard path.isPath(below: adapter) else { return nil }
        let before = devices[path]
        let after = PairingDevice(path, objects)
        guard before != after else { return nil }
        devices[path] = after
        bonds.removeAll { $0 == path && after?.isLEBond != true }
        if after?.isLEBond == true, !bonds.contains(path), bonds.count < Self.mostBonds { bonds.append(path) }
        return (path, before)
    }

    /// The path of the device with an address. bluetoothd replaces the address by the identity address when a pairing tells it; the path
    /// keeps the first one.
    func path(of address: DeviceAddress) -> String? {
        if let found = devices.first(where: { $0.value.address == address }) { return found.key }
        let digits = String(address.value, radix: 16, uppercase: true)
        let padded = Array(String(repeating: "0", count: 12 - digits.count) + digits)
        let parts = stride(from: 0, to: 12, by: 2).map { String(padded[$0..<$0 + 2]) }
        let path = "\(adapter)/dev_\(parts.joined(separator: "_"))"
        return devices[path] == nil ? nil : path
    }
}
