import CoreBluetooth

/// The UUIDs of the transfer service.
public enum TransferService {
    /// The service.
    public static var service: CBUUID { CBUUID(string: "7A9C0001-3B5E-4E0B-8D21-5C1F6E2A9B40") }
    /// Control messages: written with response by the central, indicated by the peripheral.
    public static var control: CBUUID { CBUUID(string: "7A9C0002-3B5E-4E0B-8D21-5C1F6E2A9B40") }
    /// Octets of the file: written without response by the central, notified by the peripheral.
    public static var data: CBUUID { CBUUID(string: "7A9C0003-3B5E-4E0B-8D21-5C1F6E2A9B40") }
    /// The PSM of the channel: two octets, the least significant first.
    public static var channel: CBUUID { CBUUID(string: CBUUIDL2CAPPSMCharacteristicString) }
}
