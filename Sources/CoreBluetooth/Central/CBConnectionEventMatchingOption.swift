#if !canImport(Darwin)
/// By what `registerForConnectionEvents(options:)` chooses devices.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
    /// The name of the option.
    public var rawValue: String

    /// Makes an option.
    ///
    /// - Parameter rawValue: Its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Devices with one of these services: `[CBUUID]`, at most four.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventServiceUUIDs")

    /// Devices with one of these identifiers: `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(rawValue: "kCBConnectionEventPeripheralUUIDs")
}
#endif
