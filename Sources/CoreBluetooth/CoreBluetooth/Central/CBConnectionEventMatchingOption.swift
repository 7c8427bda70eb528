/// The keys by which `registerForConnectionEvents(options:)` selects devices.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    /// The name of the key.
    public var rawValue: String

    /// Creates a key.
    ///
    /// - Parameter rawValue: Its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The services of which a device must have one: `[CBUUID]`, at most four.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventServiceUUIDs")

    /// The identifiers of the devices: `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventPeripheralUUIDs")
}
