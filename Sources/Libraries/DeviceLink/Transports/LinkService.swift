import CoreBluetooth

/// The UUIDs of the link over Bluetooth LE, and what both ends share.
public enum LinkService {
    /// The service.
    public static var service: CBUUID { CBUUID(string: "0B9D0001-5A3C-4D6E-9F21-7C1E4A8B2D60") }
    /// Octets from the client to the device; write.
    public static var toDevice: CBUUID { CBUUID(string: "0B9D0002-5A3C-4D6E-9F21-7C1E4A8B2D60") }
    /// Octets from the device to the client; notify.
    public static var fromDevice: CBUUID { CBUUID(string: "0B9D0003-5A3C-4D6E-9F21-7C1E4A8B2D60") }
    /// The identifier of the device in UTF-8; read. An advertisement has room for its first octets only.
    public static var identifier: CBUUID { CBUUID(string: "0B9D0004-5A3C-4D6E-9F21-7C1E4A8B2D60") }

    /// The octets that may wait for the radio. More end the link: a peer that takes nothing must not fill the memory.
    static let mostWaiting = 65_536
    /// The octets of a name beside the UUID of the service: the peripheral manager shortens a longer one.
    private static let shortestName = 8

    /// Whether a device that advertises the name can have the identifier.
    static func canBe(_ advertisedName: String?, _ identifier: String) -> Bool {
        guard let advertisedName else { return false }
        return advertisedName == identifier
            || advertisedName.utf8.count >= shortestName && identifier.hasPrefix(advertisedName)
    }
}
