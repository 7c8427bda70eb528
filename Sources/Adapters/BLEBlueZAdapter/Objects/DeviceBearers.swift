import BLETransport
import BLEWire

/// The bearers of a device: which it supports, and which have a link. bluetoothd has one property `Connected` for both; that of each bearer came
/// with 5.84, and needs `--experimental`. Without it the kernel's list of links decides, if it can be read.
struct DeviceBearers: Hashable {
    enum Supported: Hashable { case le, classic, both }

    /// BR/EDR Not Supported (Core Specification Supplement, Part A, 1.3).
    private static let noClassicFlag: UInt8 = 1 << 2

    let supported: Supported
    /// Whether there is a link of LE, as far as anything tells.
    let hasLE: Bool
    /// Whether there is a link of BR/EDR; nil if nothing tells.
    let hasClassic: Bool?
    /// The interface with the calls for the link of LE. That of a device ends the one of BR/EDR, too.
    let interface: String

    init(_ device: BlueZDevice, _ objects: BlueZObjects) {
        let le = objects.properties(device.path, BlueZ.bearerLE)
        let classic = objects.properties(device.path, BlueZ.bearerClassic)
        let supported = Self.supported(device, le: le != nil, classic: classic != nil)
        let mayBeLE = objects.links?.lowEnergy.contains(device.address.value) ?? (supported != .classic)
        let isClassic = supported == .le ? false : objects.links?.classic.contains(device.address.value)
        self.supported = supported
        hasLE = le?["Connected"]?.flag ?? (device.isConnected && (supported == .le || mayBeLE))
        hasClassic = classic?["Connected"]?.flag ?? isClassic
        // The calls need `--experimental`, as the properties do.
        interface = le?["Connected"] != nil && supported != .le ? BlueZ.bearerLE : BlueZ.device
    }

    /// Versions from 5.84 on have an object interface for each bearer that the device supports. Before, there are signs: a random address
    /// and the flags of advertisements are those of LE, and the class is that of BR/EDR.
    private static func supported(_ device: BlueZDevice, le: Bool, classic: Bool) -> Supported {
        if le || classic { return !classic ? .le : le ? .both : .classic }
        let flags = device["AdvertisingFlags"]?.bytes?.first
        guard device.address.kind == .public, device["Class"] != nil, (flags ?? 0) & noClassicFlag == 0 else {
            return .le
        }
        return flags == nil ? .classic : .both
    }
}
